/** The state of an open lesson's notebook: its verdicts, and the check that is running. */

/** @import { Gained, Jupyter, LessonInfo, Level, Row, Task } from './types.js' */
/** @import { Server } from './server.js' */
/** @import { Words } from './words.js' */
import { isStranger, Refused, Unreachable } from './server.js';
import { figure, words } from './words.js';

/** Milliseconds to wait for the server's message that it has stopped, before the connection is closed. */
const PATIENCE = 3000;

/** An error whose message is a sentence for the learner. */
export class Trouble extends Error {}

/** @param {Jupyter} cell a cell's model @returns {string} the cell's grade_id, or '' */
function gradeId(cell) {
  return cell.getMetadata('nbgrader')?.grade_id ?? '';
}

/** Return the task that a cell tests, or null.
 * @param {Jupyter} cell the cell's model */
export function taskOf(cell) {
  const id = gradeId(cell);
  return cell.type === 'code' && id.startsWith('test_') ? id.slice('test_'.length) : null;
}

/** Return the task that a cell answers or tests, or null.
 * @param {Jupyter} cell the cell's model */
export function taskAt(cell) {
  return taskOf(cell) ?? (gradeId(cell) || null);
}

/** Return whether a notebook has a test cell, of Secant or nbgrader; only then is the server asked about it.
 * @param {Jupyter} model the notebook's model */
export function hasTests(model) {
  return [...model.cells].some((cell) => {
    const { grade, solution } = cell.getMetadata('nbgrader') ?? {};
    return taskOf(cell) !== null || (cell.type === 'code' && Boolean(grade) && !solution);
  });
}

export class Lesson {
  /**
   * @param {Jupyter} notebook the notebook's NotebookPanel
   * @param {Server} server
   * @param {LessonInfo} info
   * @param {Jupyter} contents JupyterLab's own access to files
   */
  constructor(notebook, server, info, contents) {
    this.notebook = notebook;
    this.server = server;
    this.contents = contents;
    this.info = info;
    this.words = words(info.language);
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** The code of the answer that each verdict is about, by task. @type {Map<string, string>} */
    this.judged = new Map();
    /** The most points that each task has ever reached, according to the learner's progress. @type {Map<string, number>} */
    this.best = new Map(info.tasks.map((task) => [task.id, task.best]));
    /** The code outside answer cells, as the last check ran it. */
    this.beside = this.code('');
    /** The tasks that still have no verdict in the running check. @type {Set<string>} */
    this.waiting = new Set();
    /** @type {null | {task: string | null, began: number, phase: 'saving' | 'checking' | 'waiting' | 'stopping', abort: AbortController}} */
    this.run = null;
    /** The task of the last check, or null if that check was of the whole lesson. @type {string | null} */
    this.lastTask = null;
    /** The last problem as a sentence, or ''. */
    this.problem = '';
    /** @type {Date | null} */
    this.when = null;
    /** Whether the verdicts shown include the hidden tests. */
    this.hidden = info.hidden;
    /** Whether the learner has agreed to run a notebook of unknown origin (`agreed`), or is being asked (`asking`). */
    this.agreed = false;
    this.asking = false;
    /** The points and achievements that the last check earned. @type {Gained | null} */
    this.gained = null;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    if (info.last) {
      for (const row of info.last.rows) {
        this.rows.set(row.id, row);
        this.judged.set(row.id, row.changed ? '' : this.code(row.id));
      }
      this.when = new Date(info.last.when);
      this.hidden = info.last.hidden;
    }
  }

  tell() {
    for (const listener of [...this.listeners]) listener();
  }

  /** Return the code of a task's answer.
   * @param {string} task the task's id, or '' for all code that belongs to no task */
  code(task) {
    const said = [];
    for (const cell of this.notebook.model?.cells ?? []) {
      if (cell.type === 'code' && gradeId(cell) === task) said.push(cell.sharedModel.getSource());
    }
    return said.join('\0');
  }

  /** Return whether a task's answer has changed since its verdict.
   * @param {string} task */
  stale(task) {
    return this.rows.has(task) && this.judged.get(task) !== this.code(task);
  }

  /** Return whether code has changed since the last check, so that a new check could have another result. */
  changed() {
    return this.rows.size > 0 && (this.beside !== this.code('') || [...this.rows.keys()].some((task) => this.stale(task)));
  }

  /** Return the points of the last verdicts, the best points so far, and the maximum; manually graded tasks do not count. */
  total() {
    const counted = this.info.tasks.filter((task) => !task.manual);
    const sum = (/** @type {(task: Task) => number} */ of) => counted.reduce((all, task) => all + of(task), 0);
    return {
      points: sum((task) => this.rows.get(task.id)?.points ?? 0),
      best: sum((task) => this.best.get(task.id) ?? 0),
      most: sum((task) => task.max_points),
      passed: sum((task) => Number(this.rows.get(task.id)?.outcome === 'passed')),
      graded: counted.length,
    };
  }

  /** Return the result of the last verdicts: points or, without hidden tests, the number of tasks that passed. */
  reached() {
    const { points, most, passed, graded } = this.total();
    if (!this.hidden) return { said: this.words.totalVisible(passed, graded), value: passed, of: graded };
    return { said: this.words.total(figure(points), figure(most)), value: points, of: most };
  }

  /** @param {Task} task @returns {import('./types.js').Outcome | 'unchecked' | 'waiting'} */
  outcome(task) {
    if (this.waiting.has(task.id)) return 'waiting';
    return this.rows.get(task.id)?.outcome ?? (task.manual ? 'manual' : 'unchecked');
  }

  /** Return a task's outcome in words.
   * @param {Task} task */
  said(task) {
    const outcome = this.outcome(task);
    return outcome === 'passed' && !this.hidden ? this.words.passedVisible : this.words.outcome[outcome];
  }

  /**
   * Save the notebook and check it. The promise is fulfilled when the check ends, even if it fails.
   * @param {string | null} [task] the only task to check; null for the whole lesson
   */
  async check(task = null) {
    if (this.run || !(await this.mayRun()) || this.run) return;
    const abort = new AbortController();
    const run = (this.run = { task, began: performance.now(), phase: /** @type {any} */ ('saving'), abort });
    this.lastTask = task;
    this.problem = '';
    this.gained = null;
    this.waiting = new Set(task ? [task] : this.info.tasks.filter((each) => !each.manual).map((each) => each.id));
    this.tell();
    // Recorded before saving, because text that is typed while the notebook is saved may not be in the file.
    const judged = new Map(['', ...this.info.tasks.map((each) => each.id)].map((each) => [each, this.code(each)]));
    try {
      await Promise.race([this.save(), aborted(abort.signal)]);
      run.phase = 'checking';
      this.tell();
      await this.follow(run, judged);
    } catch (error) {
      this.problem = this.sentence(error, abort.signal);
    } finally {
      abort.abort();
      this.run = null;
      this.waiting.clear();
      this.tell();
    }
  }

  /** Return whether this notebook may be run; ask the learner once if Secant did not put it into the workspace.
   * @returns {Promise<boolean>} */
  async mayRun() {
    if (this.info.agreed || this.agreed) return true;
    if (this.asking) return false;
    this.asking = true;
    const { Dialog, showDialog } = this.server.lab;
    const say = this.words.stranger;
    const buttons = [Dialog.cancelButton({ label: say.leave }), Dialog.warnButton({ label: say.run })];
    try {
      const answer = await showDialog({ title: say.ask, body: say.warning, buttons, defaultButton: 0 });
      this.agreed = answer.button.accept;
    } finally {
      this.asking = false;
    }
    return this.agreed;
  }

  /** Take over the verdicts of a running check as they arrive.
   * @param {NonNullable<Lesson['run']>} run @param {Map<string, string>} judged the code that is checked, by task */
  async follow(run, judged) {
    for await (const event of this.server.check(this.notebook.context.path, run.task, this.agreed, run.abort.signal)) {
      if (event.event === 'waits') {
        if (run.phase === 'checking') run.phase = 'waiting';
      } else if (event.event === 'begin') {
        if (run.phase === 'waiting') run.phase = 'checking';
        this.info.agreed = true;
        this.hidden = event.hidden;
        this.waiting = new Set(event.tasks);
      } else if (event.event === 'task') {
        const { id, points } = event.task;
        this.rows.set(id, event.task);
        this.judged.set(id, judged.get(id) ?? '');
        if (this.hidden) this.best.set(id, Math.max(this.best.get(id) ?? 0, points));
        this.beside = judged.get('') ?? '';
        this.waiting.delete(id);
        this.when = new Date();
      } else if (event.event === 'end') {
        this.gained = event.gained;
        this.problem = event.problem ?? '';
        return;
      } else {
        this.gained = event.gained ?? null; // earned by verdicts that arrived before the check was stopped
        throw new Trouble(event.event === 'error' ? event.message : (event.problem ?? this.words.stopped));
      }
      this.tell();
    }
    throw new Trouble(this.words.brokenOff);
  }

  /** Stop the check. If the server does not confirm it soon, close the connection, which also stops the check. */
  async stop() {
    const run = this.run;
    if (!run || run.phase === 'stopping') return;
    const saving = run.phase === 'saving';
    run.phase = 'stopping';
    this.tell();
    const patience = setTimeout(() => run.abort.abort(), saving ? 0 : PATIENCE);
    run.abort.signal.addEventListener('abort', () => clearTimeout(patience));
    if (!saving) await this.server.stop(this.notebook.context.path).catch(() => run.abort.abort());
  }

  /** Return whether the file already has the content of this page, so that it need not be saved.
   *
   * Throw Trouble if the file was changed elsewhere: JupyterLab asks about that when the user saves.
   * @returns {Promise<boolean>} */
  async isSaved() {
    const { context } = this.notebook;
    const known = context.contentsModel;
    if (!known) return false;
    let found;
    try {
      found = await this.contents.get(context.path, { content: false, hash: true });
    } catch {
      return false; // the attempt to save will report the reason
    }
    const hashed = known.hash && found.hash;
    if (hashed ? known.hash === found.hash : known.last_modified === found.last_modified) return !context.model.dirty;
    throw new Trouble(this.words.changedElsewhere);
  }

  /** Save the notebook as JupyterLab does, including its dialogs. */
  async save() {
    if (await this.isSaved()) return;
    const said = this.words.notSaved;
    try {
      await this.notebook.context.save();
    } catch (/** @type {any} */ error) {
      const why = `${error?.message ?? error}`;
      if (error?.name === 'ModalCancelError') throw new Trouble(said.cancelled);
      if (/no space left|errno 28|disk quota/i.test(why)) throw new Trouble(said.full);
      if (/no such file|errno 2\b/i.test(why)) throw new Trouble(this.words.gone);
      if (/permission denied|errno 13|read-only/i.test(why)) throw new Trouble(said.permission);
      if (isStranger(error?.response?.status)) throw new Trouble(this.words.refused);
      if (!error?.response) throw new Trouble(said.offline);
      throw new Trouble(said.other(why.trim().replace(/\.$/, '')));
    }
  }

  /** Read the learner's choices from predictions.json, which `secant.predictions` writes next to the notebooks.
   * @returns {Promise<Record<string, {choice: unknown}>>} the choices by the prediction's name; empty if there is no file */
  async predictions() {
    const folder = this.notebook.context.path.replace(/[^/]*$/, '');
    try {
      return JSON.parse((await this.contents.get(`${folder}predictions.json`, { type: 'file', format: 'text', content: true })).content) ?? {};
    } catch {
      return {};
    }
  }

  /** Return the next lesson; null if this is the last one, undefined if it is unknown or not in this workspace.
   * @returns {Promise<{path: string, number: number, title: string} | null | undefined>} */
  async next() {
    const { lesson, number } = this.info;
    if (number === null) return undefined;
    try {
      const { lessons } = await this.server.progress(this.info.language);
      if (!lessons.some((each) => each.folder === lesson)) return undefined;
      const after = lessons.find((each) => each.number === number + 1);
      if (!after) return null;
      return after.path === null ? undefined : { path: after.path, number: after.number, title: after.title };
    } catch {
      return undefined;
    }
  }

  /** Return the learner's level, or null if the server does not answer.
   * @returns {Promise<Level | null>} */
  async level() {
    try {
      return (await this.server.progress(this.info.language)).level;
    } catch {
      return null;
    }
  }

  /** Return the sentence that tells the learner about an error.
   * @param {unknown} error
   * @param {AbortSignal} [signal]
   */
  sentence(error, signal) {
    return signal?.aborted ? this.words.stopped : sentence(this.words, error);
  }

  /** Return the indices of a task's answer cells: one, unless the learner has deleted or copied the cell.
   * @param {string} task @returns {number[]} */
  answerCells(task) {
    return [...this.notebook.model.cells].flatMap((cell, index) => (gradeId(cell) === task ? [index] : []));
  }
}

/** Return the sentence that tells the learner about an error.
 * @param {Words} say
 * @param {unknown} error
 * @returns {string}
 */
export function sentence(say, error) {
  if (error instanceof Trouble) return error.message;
  if (error instanceof Unreachable) return say.unreachable;
  if (error instanceof Refused) {
    if (error.status === 409) return error.message || say.busy;
    if (isStranger(error.status)) return say.refused;
    if (error.status === 404) return say.gone;
    return say.serverTrouble(error.message ? ` (${error.message.replace(/\.$/, '')})` : '');
  }
  return say.serverTrouble(error instanceof Error ? ` (${error.message})` : '');
}

/** @param {AbortSignal} signal @returns {Promise<never>} */
function aborted(signal) {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
}
