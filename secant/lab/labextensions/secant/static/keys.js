/** Keys that mean the cell, pressed in a widget of ours: JupyterLab takes none from a box, nor where a widget keeps the arrow keys. */

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

/** Let the arrow keys choose among radio buttons, as in a lesson's predictions; JupyterLab's would go to another cell.
 *
 * ipywidgets names no radio button, and Firefox's arrow keys choose among those of one name only. */
export function chooseByArrows() {
  let groups = 0;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    target.dataset.lmSuppressShortcuts = 'true';
    const group = target.closest('.widget-radio-box');
    if (!group || target.name) return;
    const name = `secant-choices-${++groups}`;
    for (const radio of group.querySelectorAll('input')) radio.name = name;
  });
}
