/** Replace widgets whose kernel no longer runs. JupyterLab itself shows only that a widget has no model. */

/** @import { Jupyter } from './types.js' */
/** @import { Lesson } from './lesson.js' */
/** @import { Words } from './words.js' */
import { h } from './dom.js';

const BROKEN = 'Error displaying widget';
const ASKED = /^\s*predict\(\s*(["'])(.+?)\1/m;
const EXPLORED = /^explore\w*\(/; // matches the plain-text form of an explorer's output

/** Replace broken widgets in the outputs of a notebook, including outputs that are drawn later.
 * @param {Jupyter} notebook a NotebookPanel @param {Lesson | null} lesson null for a notebook that is not a lesson
 * @param {Words} say */
export function replaceBroken(notebook, lesson, say) {
  const { node } = notebook.content;
  const look = (/** @type {Node} */ text) => {
    const place = text.parentElement;
    if (text.nodeType === Node.TEXT_NODE && text.nodeValue?.startsWith(BROKEN) && place?.matches('.jp-OutputArea-output')) {
      void replace(notebook, lesson, say, place);
    }
  };
  const observer = new MutationObserver((records) => records.forEach(({ addedNodes }) => addedNodes.forEach(look)));
  observer.observe(node, { childList: true, subtree: true });
  for (const place of node.querySelectorAll('.jp-OutputArea-output.jupyter-widgets')) place.childNodes.forEach(look);
  notebook.disposed.connect(() => observer.disconnect());
}

/** Replace one of Secant's widgets by advice, its last picture and the learner's choice, as far as these are known.
 *
 * Widgets that are not Secant's stay unchanged.
 * @param {Jupyter} notebook @param {Lesson | null} lesson @param {Words} say @param {HTMLElement} place the output's node */
async function replace(notebook, lesson, say, place) {
  const line = /** @type {HTMLElement} */ (place.closest('.jp-OutputArea-child'));
  const cell = notebook.content.widgets.find((/** @type {Jupyter} */ each) => each.node.contains(place));
  const number = [...(line?.parentElement?.children ?? [])].indexOf(line);
  const output = cell?.model.outputs.get(number);
  const data = output?.data ?? {};
  const text = String(data['text/plain'] ?? '');
  const asked = cell?.model.sharedModel.getSource().match(ASKED);
  if (!lesson && !asked && !EXPLORED.test(text)) return;
  const words = h('div', { class: 'secant-remains' }, h('p', {}, say.widgetGone));
  place.replaceChildren(words);
  const picture = data['image/png'];
  const alt = output?.metadata?.['image/png']?.alt ?? say.lastPicture;
  if (picture) words.append(h('img', { src: `data:image/png;base64,${picture}`, alt }));
  const letter = asked && (await lesson?.predictions())?.[asked[2]]?.choice;
  if (typeof letter !== 'string') return;
  const choices = text.split('\n');
  const chosen = choices.find((choice) => choice.trim().startsWith(`${letter}. `)) ?? letter;
  words.prepend(h('p', {}, say.chosen(chosen.trim())));
}
