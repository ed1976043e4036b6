/** Keys that mean the cell or JupyterLab, pressed in a widget of ours, which JupyterLab does not get there by itself. */

const WIDGETS = '.jp-OutputArea :is(.secant-prediction, .secant-answer, .secant-explorer)';

/** Give the cell those with Enter (but not Enter alone) and Escape; which command each is, JupyterLab knows. */
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
  window.addEventListener('keydown', listen, { capture: true }); // before JupyterLab, which listens at the document
}

/** Give JupyterLab its shortcuts with Ctrl or Cmd, such as the one that saves, also in a box: ipywidgets keeps all keys there. */
export function handOnShortcuts() {
  const listen = (/** @type {KeyboardEvent} */ event) => {
    const { target, ctrlKey, metaKey } = event;
    const inBox = target instanceof HTMLInputElement && target.type !== 'radio' && target.closest(WIDGETS);
    if (!inBox || !(ctrlKey || metaKey) || event.isComposing) return;
    const copy = new KeyboardEvent('keydown', event);
    document.body.dispatchEvent(copy); // not the cell, whose shortcuts are no text's
    if (!copy.defaultPrevented) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener('keydown', listen, { capture: true });
}

/** Let the arrow keys choose among radio buttons, as in a lesson's predictions; JupyterLab's would go to another cell.
 *
 * ipywidgets names no radio button, and Firefox's arrow keys choose among those of one name only. */
export function chooseByArrows() {
  let groups = 0;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    const group = target.closest('.widget-radio-box');
    if (!group || target.name) return;
    const name = `secant-choices-${++groups}`;
    for (const radio of group.querySelectorAll('input')) radio.name = name;
  });
  // Of a plain key, such as the letter of a choice, JupyterLab would make a command for the cell.
  const claim = (/** @type {KeyboardEvent} */ { target, ctrlKey, metaKey, altKey }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    target.toggleAttribute('data-lm-suppress-shortcuts', !ctrlKey && !metaKey && !altKey);
  };
  window.addEventListener('keydown', claim, { capture: true });
}
