// Predictions on a page without a kernel. The reader's choices are stored only in the browser.

const PREFIX = "secant-prediction:";

/**
 * @param {string} name
 * @returns {string | null}
 */
function kept(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null; // the browser lets the page store nothing
  }
}

/**
 * @param {string} name
 * @param {string} choice
 */
function keep(name, choice) {
  try {
    localStorage.setItem(PREFIX + name, choice);
  } catch {
    // Without storage, the choice applies to this page only.
  }
}

/**
 * Show the reply to a choice at the places where the lesson returns to the prediction.
 * @param {string} name
 * @param {string | null} choice
 */
function answer(name, choice) {
  for (const place of document.querySelectorAll("[data-answers]")) {
    if (!(place instanceof HTMLElement) || place.dataset.answers !== name) continue;
    const said = [...place.querySelectorAll("[data-choice]")];
    const known = said.some((one) => one instanceof HTMLElement && one.dataset.choice === choice);
    for (const one of said) if (one instanceof HTMLElement) one.hidden = one.dataset.choice !== choice;
    for (const one of place.querySelectorAll(".not-yet, details")) if (one instanceof HTMLElement) one.hidden = known;
  }
}

for (const asked of document.querySelectorAll("fieldset[data-prediction]")) {
  if (!(asked instanceof HTMLFieldSetElement)) continue;
  const name = asked.dataset.prediction ?? "";
  const note = asked.querySelector(".note");
  /** @param {string | null} choice */
  const show = (choice) => {
    for (const one of asked.querySelectorAll("input")) one.checked = one.value === choice;
    if (note instanceof HTMLElement) {
      note.textContent = choice ? (note.dataset.chosen ?? "").replace("{choice}", choice) : (note.dataset.open ?? "");
    }
    answer(name, choice);
  };
  show(kept(name));
  asked.addEventListener("change", (event) => {
    if (!(event.target instanceof HTMLInputElement)) return;
    keep(name, event.target.value);
    show(event.target.value);
  });
}
