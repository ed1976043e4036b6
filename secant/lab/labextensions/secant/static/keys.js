/** Pass on keys that are pressed in one of Secant's widgets but meant for the cell or for JupyterLab.
 *
 * JupyterLab itself does not receive key presses from a widget. */

const WIDGETS = '.jp-OutputArea :is(.secant-prediction, .secant-answer, .secant-explorer)';

/** Pass Escape, and Enter with a modifier key, on to the cell, where JupyterLab's shortcuts handle them. */
export function handOnKeys() {
  const listen = (/** @type {KeyboardEvent} */ event) => {
    const { key, target } = event;
    const runs = key === 'Enter' && (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey);
    if (!(runs || key === 'Escape') || event.isComposing || !(target instanceof Element) || !target.closest(WIDGETS)) return;
    const cell = /** @type {HTMLElement | null} */ (target.closest('.jp-Cell'));
    if (!cell) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    cell.focus({ preventScroll: true });
    cell.dispatchEvent(new KeyboardEvent('keydown', event));
  };
  window.addEventListener('keydown', listen, { capture: true }); // runs before JupyterLab's listener on the document
}

/** Pass shortcuts with Ctrl or Cmd, such as the one that saves, from an input box on to JupyterLab.
 *
 * ipywidgets stops all key presses in its input boxes. */
export function handOnShortcuts() {
  const listen = (/** @type {KeyboardEvent} */ event) => {
    const { target, ctrlKey, metaKey } = event;
    const inBox = target instanceof HTMLInputElement && target.type !== 'radio' && target.closest(WIDGETS);
    if (!inBox || !(ctrlKey || metaKey) || event.isComposing) return;
    const copy = new KeyboardEvent('keydown', event);
    document.body.dispatchEvent(copy); // sent to the body and not to the cell, whose shortcuts do not suit text input
    if (!copy.defaultPrevented) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener('keydown', listen, { capture: true });
}

/** Let arrow keys choose among radio buttons, as in a lesson's predictions, instead of moving to another cell.
 *
 * Firefox's arrow keys choose only among radio buttons with the same name, and ipywidgets gives them no names. */
export function chooseByArrows() {
  let groups = 0;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    const group = target.closest('.widget-radio-box');
    if (!group || target.name) return;
    const name = `secant-choices-${++groups}`;
    for (const radio of group.querySelectorAll('input')) radio.name = name;
  });
  // JupyterLab would treat a plain key, such as the letter of a choice, as a command for the cell.
  const claim = (/** @type {KeyboardEvent} */ { target, ctrlKey, metaKey, altKey }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    target.toggleAttribute('data-lm-suppress-shortcuts', !ctrlKey && !metaKey && !altKey);
  };
  window.addEventListener('keydown', claim, { capture: true });
}
