/** The small button at each test cell, with the task's verdict. */

/** @import { Jupyter, Row } from './types.js' */
/** @import { Lesson } from './lesson.js' */
import { button, h, write } from './dom.js';
import { taskOf } from './lesson.js';
import { SIGNS } from './row.js';

/** Add a Check button to every test cell of a lesson, including cells that are drawn or restored later.
 * @param {Lesson} lesson
 * @param {Jupyter} lab JupyterLab's classes
 */
export function decorate(lesson, lab) {
  const { notebook } = lesson;
  const { cells } = notebook.content.model;
  notebook.content.node.classList.add('secant-lesson-cells');
  /** @type {WeakSet<object>} */
  const done = new WeakSet();
  const look = () => {
    if (notebook.isDisposed) return;
    hideInstaller(notebook.content);
    for (const cell of notebook.content.widgets) {
      const id = taskOf(cell.model);
      const task = lesson.info.tasks.find((each) => each.id === id);
      if (!task || task.manual || done.has(cell)) continue;
      done.add(cell);
      // A cell that has never been in view is not drawn yet, so it gets its button when it is ready.
      void cell.ready.then(() => cell.isDisposed || add(cell, task.id));
    }
  };

  /** @param {Jupyter} cell @param {string} task */
  const add = (cell, task) => {
    const say = lesson.words;
    // The text that a folded cell shows in place of its first line of code.
    cell.node.style.setProperty('--secant-folded', JSON.stringify(say.folded(task)));
    const verdict = h('span', { class: 'secant-outcome' });
    // The attribute data-lm-suppress-shortcuts keeps JupyterLab's shortcuts for cells, such as Enter, which starts
    // editing, from taking the button's keys.
    const press = button(say.checkTask, () => void lesson.check(task), {
      'aria-label': say.checkTaskOf(task),
      'data-lm-suppress-shortcuts': 'true',
    });
    const old = h('span', { class: 'secant-small' });
    const widget = new lab.Widget({ node: h('div', { class: 'secant-cell' }, press, verdict, old) });
    const update = () => {
      const outcome = lesson.outcome(/** @type {any} */ (lesson.info.tasks.find((each) => each.id === task)));
      const stale = outcome !== 'waiting' && lesson.stale(task) ? ` (${say.rowChanged})` : '';
      widget.node.dataset.outcome = outcome;
      widget.node.toggleAttribute('data-stale', stale !== '');
      const row = lesson.rows.get(task);
      const reason = row && outcome !== 'passed' && !stale ? reasonOf(row) : '';
      const told = `${SIGNS[outcome]} ${say.outcome[outcome]}${stale}${reason && outcome !== 'waiting' ? ` · ${reason}` : ''}`;
      write(verdict, outcome === 'unchecked' ? '' : told);
      // Old output stays. A note marks it where it contradicts the verdict: an error next to "Passed", or the
      // placeholder's NotImplementedError next to an answer.
      const answered = row !== undefined && outcome !== 'not_attempted' && outcome !== 'waiting';
      const contradicts = cell.model.outputs
        .toJSON()
        .some((/** @type {Jupyter} */ { output_type, ename }) => output_type === 'error' && (outcome === 'passed' || (answered && ename === 'NotImplementedError')));
      write(old, contradicts ? say.oldError : '');
      press.setAttribute('aria-disabled', String(lesson.run !== null));
    };
    const input = cell.layout.widgets.findIndex((/** @type {Jupyter} */ part) => part.hasClass('jp-Cell-inputWrapper'));
    cell.layout.insertWidget(input + 1, widget);
    lesson.listeners.add(update);
    widget.disposed.connect(() => lesson.listeners.delete(update));
    update();
  };

  look();
  const later = () => queueMicrotask(look);
  cells.changed.connect(later);
  // The cells may outlive this view, because two views of a notebook share them.
  notebook.disposed.connect(() => cells.changed.disconnect(later));
}

/** Hide the cell that installs Secant on other systems: with this extension, Secant is already installed.
 * @param {Jupyter} content the notebook's cells */
function hideInstaller(content) {
  const [first] = content.widgets;
  if (!first?.model.getMetadata('installs') || first.isHidden) return;
  if (content.activeCellIndex === 0 && content.widgets.length > 1) content.activeCellIndex = 1;
  first.hide();
}

/** Return one line on why an answer did not pass: the likely cause, else the error, else the first sentence.
 * @param {Row} row */
function reasonOf({ parts, message }) {
  const last = (/** @type {string} */ kind) => parts.filter((part) => part.kind === kind).at(-1)?.text;
  return last('cause') ?? last('trace') ?? parts.find(({ kind }) => ['text', 'head'].includes(kind))?.text ?? message.split('\n')[0];
}
