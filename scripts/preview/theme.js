// The reader's choice of light or dark, kept for all pages; without one the system's holds.
(() => {
  const root = document.documentElement;
  const key = "secant-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  let kept = null;
  try {
    kept = localStorage.getItem(key);
  } catch {
    // A page that is opened as a file, or a browser that keeps nothing.
  }
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector(".theme");
    if (!button) return;
    const tell = () => {
      button.setAttribute("aria-pressed", String(isDark()));
      document.body.dataset.theme = root.dataset.theme ?? ""; // at which pictures look again
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem(key, root.dataset.theme);
      } catch {
        // Then it holds for this page.
      }
      tell();
    });
    system.addEventListener("change", tell);
    tell();
  });
})();
