/** An open notebook with ordinary nbgrader tests, and the results of its visible tests. The results are not a grade. */

/** @import { Jupyter, PlainInfo, PlainResult, PlainRow } from './types.js' */
/** @import { Server } from './server.js' */
/** @import { Words } from './words.js' */
/** @import { Panel } from './panel.js' */
import { h, write } from './dom.js';
import { Lesson, Trouble } from './lesson.js';
import { figure, moment } from './words.js';

const SIGNS = { no_error: '✓', partial: '◐', failed: '✗', timed_out: '∞', crashed: '!', manual: '✎' };

/** A notebook that is saved, run and stopped like a lesson; the server's events differ, and nothing is earned. */
export class Plain extends Lesson {
  /**
   * @param {Jupyter} notebook the notebook's NotebookPanel
   * @param {Server} server
   * @param {PlainInfo} info
   * @param {'en' | 'ko'} language the page's language, because such a notebook does not name one
   * @param {Jupyter} contents JupyterLab's own access to files
   */
  constructor(notebook, server, info, language, contents) {
    const none = { number: null, hidden: false, tasks: [], report: '', about: '', last: null };
    super(notebook, server, { ...none, lesson: info.name, title: info.name, language, agreed: info.agreed }, contents);
    /** The result of the last completed run. @type {PlainResult | null} */
    this.result = null;
    /** The code that the last completed run executed. */
    this.ran = '';
  }

  /** Return all code of the notebook, because any cell can change the result of a test. */
  code() {
    const cells = [...(this.notebook.model?.cells ?? [])].filter((cell) => cell.type === 'code');
    return cells.map((cell) => cell.sharedModel.getSource()).join('\0');
  }

  changed() {
    return this.result !== null && this.ran !== this.code();
  }

  /** Collect the results of a run as they arrive.
   * @param {NonNullable<Lesson['run']>} run @param {Map<string, string>} judged the code that is run */
  async follow(run, judged) {
    /** @type {PlainRow[]} */
    const rows = [];
    const { path } = this.notebook.context;
    for await (const event of this.server.runTests(path, this.info.language, this.agreed, run.abort.signal)) {
      if (event.event === 'waits') {
        if (run.phase === 'checking') run.phase = 'waiting';
      } else if (event.event === 'begin') {
        if (run.phase === 'waiting') run.phase = 'checking';
        this.info.agreed = true;
      } else if (event.event === 'task') {
        rows.push(event.task);
      } else if (event.event === 'end') {
        this.result = { rows, said: event.said, left_out: event.left_out, stopped: event.stopped };
        this.ran = judged.get('') ?? '';
        this.when = new Date();
        return;
      } else {
        throw new Trouble(event.event === 'error' ? event.message : this.words.plain.stopped);
      }
      this.tell();
    }
    throw new Trouble(this.words.brokenOff);
  }
}

/** The part of the panel below the buttons, for a notebook with ordinary nbgrader tests. */
export class PlainView {
  /** @param {Panel} panel @param {Plain} plain */
  constructor(panel, plain) {
    this.panel = panel;
    this.plain = plain;
    /** The result that is currently drawn. @type {PlainResult | null} */
    this.drawn = null;
    this.notice = h('p', { class: 'secant-notice secant-no-grade' });
    this.leftOut = h('p', { class: 'secant-notice' });
    this.when = h('p', { class: 'secant-when' });
    this.changed = h('p', { class: 'secant-notice' });
    this.list = h('ul', { class: 'secant-rows', 'aria-label': plain.words.plain.tests });
    this.nodes = [this.notice, this.when, this.changed, this.list, this.leftOut];
    this.update();
  }

  update() {
    const { plain } = this;
    const say = plain.words;
    const { result } = plain;
    write(this.notice, result?.said ?? say.plain.notRun);
    write(this.leftOut, result?.left_out ?? '');
    write(this.when, plain.when ? say.plain.ranAt(moment(plain.when, plain.info.language)) : '');
    write(this.changed, plain.run === null && plain.changed() ? say.plain.changed : '');
    this.list.toggleAttribute('data-stale', plain.changed());
    if (result === this.drawn) return;
    this.drawn = result;
    this.list.replaceChildren(...(result?.rows ?? []).map((row) => this.row(row)), ...(result?.stopped ?? []).map((cell) => this.stoppedRow(cell)));
  }

  /** @param {PlainRow} row */
  row(row) {
    const say = this.plain.words;
    const outcome = row.kind === 'manual' ? 'manual' : row.outcome;
    const points = row.kind === 'manual' || row.points === null ? '–' : figure(row.points);
    const line = [
      h('span', { class: 'secant-sign', 'aria-hidden': 'true' }, SIGNS[outcome]),
      h('span', { class: 'secant-outcome' }, say.plain.outcome[outcome]),
      h('span', { class: 'secant-points' }, say.points(points, figure(row.max_points))),
    ];
    const body = h('div', { class: 'secant-verdict' });
    if (row.kind === 'test') {
      if (row.said) body.append(h('p', {}, row.said));
      if (row.error) body.append(raised(row.error, row.message));
      if (row.output) body.append(h('p', {}, say.plain.printed), h('pre', { class: 'secant-printed' }, row.output));
    }
    const go = () => void this.panel.goTo(this.plain, row.id);
    const name = h('button', { type: 'button', class: 'secant-go', title: say.plain.goTo(row.id), onclick: go }, h('code', {}, row.id));
    return h('li', { class: 'secant-row', 'data-outcome': outcome, 'data-task': row.id }, h('h3', {}, name), h('p', { class: 'secant-line' }, ...line), body);
  }

  /** Create the row of a cell that is not a test and that ended with an error.
   * @param {PlainResult['stopped'][number]} cell */
  stoppedRow({ label, line, error, message }) {
    const heading = h('h3', {}, h('code', {}, label), ` ${this.plain.words.plain.stoppedWith(line)}`);
    return h('li', { class: 'secant-row' }, heading, h('div', { class: 'secant-verdict' }, raised(error, message)));
  }
}

/** Create the element for an error that the notebook's code raised, set apart from Secant's own sentences.
 * @param {string} error @param {string} message */
function raised(error, message) {
  return h('pre', { class: 'secant-trace' }, message ? `${error}: ${message}` : error);
}
