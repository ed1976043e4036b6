// The reader's choice of a light or dark theme, stored for all pages. Without a choice, the system's setting applies.
(() => {
  const root = document.documentElement;
  const key = "secant-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  let kept = null;
  try {
    kept = localStorage.getItem(key);
  } catch {
    // No storage: the page is opened as a file, or the browser stores nothing.
  }
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector(".theme");
    if (!button) return;
    const tell = () => {
      button.setAttribute("aria-pressed", String(isDark()));
      document.body.dataset.theme = root.dataset.theme ?? ""; // pictures watch this attribute and redraw
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem(key, root.dataset.theme);
      } catch {
        // Without storage, the choice applies to this page only.
      }
      tell();
    });
    system.addEventListener("change", tell);
    tell();
  });
})();
