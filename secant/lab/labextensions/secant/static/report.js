/** A problem report for a computer that is offline: the learner writes it here, and then copies or saves it. */

/** @import { Lesson } from './lesson.js' */
import { away, button, h, prose, write } from './dom.js';

/** Create the end of a lesson's panel: the link to report a problem online, and the form for an offline report.
 * @param {Lesson} lesson @returns {HTMLElement} */
export function reportProblem(lesson) {
  const { info, words: say } = lesson;
  const whole = h('option', { value: '' }, say.offlineWhole);
  const tasks = info.tasks.map((task) => h('option', { value: task.id }, task.title));
  const about = /** @type {HTMLSelectElement} */ (h('select', {}, whole, ...tasks));
  const text = /** @type {HTMLTextAreaElement} */ (h('textarea', { rows: '5' }));
  const facts = h('div', { class: 'secant-facts' });
  const status = h('p', { role: 'status', class: 'secant-small' });
  let known = '';
  const report = () => {
    const head = info.tasks.find((task) => task.id === about.value)?.about ?? info.about;
    return [head, text.value.trim(), known].filter(Boolean).join('\n\n') + '\n';
  };
  const copy = async () => write(status, (await isCopied(report())) ? say.copied : say.notCopied);
  const save = () => download(`${[info.lesson, about.value].filter(Boolean).join('-')}-report.txt`, report());
  const collect = async () => {
    if (known) return;
    facts.replaceChildren(h('p', { class: 'secant-small' }, say.collecting));
    known = await lesson.server.facts(info.language).then((found) => found.facts, () => '');
    facts.replaceChildren(...(known ? [h('p', {}, say.offlineFacts), h('pre', { tabindex: '0' }, known)] : [prose(say.noFacts)]));
  };
  const details = /** @type {HTMLDetailsElement} */ (
    h(
      'details',
      { class: 'secant-report' },
      h('summary', {}, say.offline),
      h('p', { class: 'secant-small' }, say.offlineWhy),
      h('label', {}, say.offlineAbout, about),
      h('label', {}, say.offlineWords, text),
      facts,
      h('div', { class: 'secant-buttons' }, button(say.copy, () => void copy()), button(say.save, save)),
      status,
    )
  );
  details.addEventListener('toggle', () => details.open && void collect());
  return h('div', {}, h('p', {}, away(say.reportLesson, info.report)), details);
}

/** Copy a text to the clipboard; if the page may not (plain HTTP from another computer), select the text and copy that.
 * @param {string} text @returns {Promise<boolean>} whether the text was copied */
async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const hidden = /** @type {HTMLTextAreaElement} */ (h('textarea', { class: 'secant-spoken' }));
    hidden.value = text;
    document.body.append(hidden);
    hidden.select();
    const done = document.execCommand('copy');
    hidden.remove();
    focused?.focus();
    return done;
  }
}

/** @param {string} name @param {string} text */
function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
