/** What stands in place of a widget whose kernel has gone, where JupyterLab says only that there is no model. */

/** @import { Jupyter } from './types.js' */
/** @import { Lesson } from './lesson.js' */
import { h } from './dom.js';

const BROKEN = 'Error displaying widget';
const ASKED = /^\s*predict\(\s*(["'])(.+?)\1/m;

/** Look after a lesson's outputs, also those that are drawn later.
 * @param {Lesson} lesson */
export function replaceBroken(lesson) {
  const { node } = lesson.notebook.content;
  const look = (/** @type {Node} */ text) => {
    const place = text.parentElement;
    if (text.nodeType === Node.TEXT_NODE && text.nodeValue?.startsWith(BROKEN) && place?.matches('.jp-OutputArea-output')) {
      void replace(lesson, place);
    }
  };
  const observer = new MutationObserver((records) => records.forEach(({ addedNodes }) => addedNodes.forEach(look)));
  observer.observe(node, { childList: true, subtree: true });
  for (const place of node.querySelectorAll('.jp-OutputArea-output.jupyter-widgets')) place.childNodes.forEach(look);
  lesson.notebook.disposed.connect(() => observer.disconnect());
}

/** Say what to do; show the picture, and the choice, as far as they are known.
 * @param {Lesson} lesson @param {HTMLElement} place the output's node */
async function replace(lesson, place) {
  const say = lesson.words;
  const line = /** @type {HTMLElement} */ (place.closest('.jp-OutputArea-child'));
  const cell = lesson.notebook.content.widgets.find((/** @type {Jupyter} */ each) => each.node.contains(place));
  const number = [...(line?.parentElement?.children ?? [])].indexOf(line);
  const data = cell?.model.outputs.get(number)?.data ?? {};
  const words = h('div', { class: 'secant-remains' }, h('p', {}, say.widgetGone));
  place.replaceChildren(words);
  const picture = data['image/png'];
  if (picture) words.append(h('img', { src: `data:image/png;base64,${picture}`, alt: say.lastPicture }));
  const asked = cell?.model.sharedModel.getSource().match(ASKED);
  const letter = asked && (await lesson.predictions())[asked[2]]?.choice;
  if (typeof letter !== 'string') return;
  const choices = String(data['text/plain'] ?? '').split('\n');
  const chosen = choices.find((choice) => choice.trim().startsWith(`${letter}. `)) ?? letter;
  words.prepend(h('p', {}, say.chosen(chosen.trim())));
}
