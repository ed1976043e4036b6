/** The panel on the right, with the verdicts of the active notebook. */

/** @import { Jupyter } from './types.js' */
/** @import { Words } from './words.js' */
/** @import { Lesson } from './lesson.js' */
import { button, h, write } from './dom.js';
import { levelBar } from './level.js';
import { Plain, PlainView } from './plain.js';
import { reportProblem } from './report.js';
import { Row } from './row.js';
import { strict } from './strict.js';
import { figure, moment } from './words.js';

export class Panel {
  /**
   * @param {Jupyter} app
   * @param {Jupyter} lab JupyterLab's classes
   * @param {Jupyter} rendermime
   * @param {Words} say the texts to use while no lesson is open
   * @param {() => void} progressed called when the learner's progress has changed
   * @param {(path: string) => void} open a function that opens a lesson
   */
  constructor(app, lab, rendermime, say, progressed, open) {
    this.app = app;
    this.lab = lab;
    this.rendermime = rendermime.clone({ sanitizer: strict(rendermime.sanitizer) });
    this.say = say;
    this.progressed = progressed;
    this.open = open;
    /** @type {Lesson | null} */
    this.lesson = null;
    this.trouble = '';
    /** @type {Row[]} */
    this.rows = [];
    /** The rows of each lesson, including the hints shown in them. @type {WeakMap<Lesson, Row[]>} */
    this.kept = new WeakMap();
    /** The problem report of each lesson, including the text typed into it. @type {WeakMap<Lesson, HTMLElement>} */
    this.reports = new WeakMap();
    /** The drawn results of each notebook with ordinary nbgrader tests. @type {WeakMap<Plain, PlainView>} */
    this.views = new WeakMap();
    this.wasRunning = false;
    this.strip = h('div', { class: 'secant-strip' });
    this.heading = h('h2');
    this.checkButton = button('', () => void this.lesson?.check(), { class: 'secant-button secant-primary' });
    this.stopButton = button('', () => void this.lesson?.stop());
    this.clock = h('span', { class: 'secant-clock', 'aria-hidden': 'true' });
    this.problem = h('p', { class: 'secant-problem', role: 'alert', hidden: true });
    this.total = h('p', { class: 'secant-total' });
    this.best = h('p', { class: 'secant-best' });
    this.bar = /** @type {HTMLProgressElement} */ (h('progress'));
    this.when = h('p', { class: 'secant-when' });
    this.changed = h('p', { class: 'secant-notice' });
    this.visible = h('p', { class: 'secant-notice' });
    // A status region must exist before its text changes, or a screen reader does not read it out.
    this.gained = h('div', { class: 'secant-gained', role: 'status' });
    this.end = h('div', { class: 'secant-end' });
    this.told = '';
    /** The finished lesson whose closing message is shown. @type {Lesson | null} */
    this.ended = null;
    this.list = h('ul', { class: 'secant-rows' });
    this.content = h('div', { class: 'secant-scroll' });
    // Outside the part that is redrawn, because a status region must exist before its text changes.
    this.spoken = h('div', { class: 'secant-spoken', role: 'status' });
    this.warning = h('p', { class: 'secant-problem secant-warning', role: 'alert', hidden: true });
    this.widget = new lab.Widget({ node: h('div', { class: 'secant-panel', role: 'region' }, this.warning, this.content, this.spoken) });
    this.widget.id = 'secant-panel';
    this.onChange = () => this.update();
    setInterval(() => this.lesson?.run && this.updateClock(), 500);
    this.show(null);
  }

  /** Show a lesson, or the message that no lesson is open.
   * @param {Lesson | null} lesson
   * @param {string} [trouble] the problem because of which there is no lesson, if there is one */
  show(lesson, trouble = '') {
    if (lesson === this.lesson && trouble === this.trouble && this.content.firstChild) return;
    this.trouble = trouble;
    this.lesson?.listeners.delete(this.onChange);
    this.lesson = lesson;
    const say = lesson?.words ?? this.say;
    const node = this.widget.node;
    node.lang = lesson?.info.language ?? node.lang;
    node.setAttribute('aria-label', say.panel);
    node.dataset.notebook = lesson?.notebook.context.path ?? '';
    this.widget.title.caption = say.panel;
    this.wasRunning = lesson?.run != null;
    if (!lesson) {
      const start = button(say.openStart, () => void this.app.commands.execute('secant:start'));
      const why = trouble && h('p', { class: 'secant-problem', role: 'alert' }, trouble);
      this.content.replaceChildren(why || h('p', {}, say.noLesson), start);
      this.rows = []; // lets a closed lesson be garbage-collected
      this.list.replaceChildren();
      return;
    }
    lesson.listeners.add(this.onChange);
    if (lesson instanceof Plain) {
      this.showPlain(lesson);
      return;
    }
    const rows = this.kept.get(lesson) ?? lesson.info.tasks.map((task) => new Row(this, lesson, task));
    this.kept.set(lesson, rows);
    this.rows = rows;
    const report = this.reports.get(lesson) ?? reportProblem(lesson);
    this.reports.set(lesson, report);
    write(this.heading, say.lesson(lesson.info.number, lesson.info.title));
    write(this.checkButton, say.checkLesson);
    write(this.stopButton, say.stop);
    this.bar.setAttribute('aria-label', say.tasks);
    this.list.setAttribute('aria-label', say.tasks);
    this.list.replaceChildren(...rows.map((row) => row.node));
    const start = button(say.openStart, () => void this.app.commands.execute('secant:start'));
    this.strip.replaceChildren(); // the level's text may be in the previous lesson's language
    this.content.replaceChildren(
      this.strip,
      this.heading,
      h('div', { class: 'secant-buttons' }, this.checkButton, this.stopButton, this.clock, start),
      this.problem,
      this.total,
      this.bar,
      this.best,
      this.gained,
      this.end,
      this.when,
      this.changed,
      this.visible,
      this.list,
      report,
    );
    this.update();
    void this.tellLevel(lesson);
    for (const row of rows) void row.restore();
  }

  /** Show a notebook with ordinary nbgrader tests, without a total, hints or achievements.
   * @param {Plain} plain */
  showPlain(plain) {
    const say = plain.words;
    const view = this.views.get(plain) ?? new PlainView(this, plain);
    this.views.set(plain, view);
    this.rows = [];
    write(this.heading, plain.info.title);
    write(this.checkButton, say.plain.run);
    write(this.stopButton, say.stop);
    const buttons = h('div', { class: 'secant-buttons' }, this.checkButton, this.stopButton, this.clock);
    this.content.replaceChildren(this.heading, buttons, this.problem, ...view.nodes);
    this.update();
  }

  /** Show a warning about the server at the top of the panel; '' hides it.
   * @param {string} said */
  warn(said) {
    write(this.warning, said);
  }

  update() {
    const { lesson } = this;
    if (!lesson) return;
    const say = lesson.words;
    const running = lesson.run !== null;
    const hadFocus = document.activeElement === this.checkButton || document.activeElement === this.stopButton;
    this.checkButton.hidden = running;
    this.stopButton.hidden = !running;
    if (hadFocus) (running ? this.stopButton : this.checkButton).focus();
    this.widget.node.setAttribute('aria-busy', String(running));
    this.updateClock();
    write(this.problem, lesson.problem);
    if (lesson instanceof Plain) {
      this.views.get(lesson)?.update();
      if (running !== this.wasRunning) {
        this.wasRunning = running;
        write(this.spoken, running ? say.checking : lesson.problem ? '' : (lesson.result?.said ?? ''));
        this.spoken.hidden = false;
        if (!running) this.content.scrollTop = 0;
      }
      return;
    }
    const { points, best, most } = lesson.total();
    const { said, value, of } = lesson.reached();
    write(this.total, said);
    write(this.best, lesson.hidden && best > points ? say.best(figure(best), figure(most)) : '');
    this.tellGained(lesson);
    void this.tellEnd(lesson);
    this.bar.max = of || 1;
    this.bar.value = value;
    write(this.when, lesson.when ? say.checkedAt(moment(lesson.when, lesson.info.language)) : say.neverChecked);
    write(this.changed, !running && lesson.changed() ? say.changed : '');
    write(this.visible, lesson.hidden ? '' : say.visibleOnly);
    for (const row of this.rows) row.update();
    if (running !== this.wasRunning) {
      this.wasRunning = running;
      // A screen reader announces the start and the end, but not each task. An alert announces itself.
      write(this.spoken, running ? say.checking : lesson.problem ? '' : this.summary(lesson));
      this.spoken.hidden = false;
      if (!running) {
        this.bringIntoView(lesson);
        void this.tellLevel(lesson);
      }
    }
  }

  /** Show the learner's level and experience points; keep the old ones if the server does not answer.
   * @param {Lesson} lesson */
  async tellLevel(lesson) {
    const level = await lesson.level();
    if (!level || this.lesson !== lesson) return;
    const { line, bar } = levelBar(level, lesson.words);
    this.strip.replaceChildren(line, bar);
  }

  /** Show what the last check earned: experience points, and each achievement with its description.
   * @param {Lesson} lesson */
  tellGained({ gained, words: say }) {
    const said = JSON.stringify(gained);
    if (said === this.told) return;
    this.told = said;
    const won = gained?.achievements ?? [];
    const points = gained ? say.gained(gained) : '';
    const one = (/** @type {{title: string, how: string}} */ { title, how }) =>
      h('li', {}, h('strong', {}, `★ ${title}`), h('span', {}, how));
    this.gained.replaceChildren(
      ...(points ? [h('p', {}, points)] : []),
      ...(won.length > 0 ? [h('p', {}, say.achieved(won.length)), h('ul', {}, ...won.map(one))] : []),
    );
  }

  /** Once every task has passed, show a message, list manually graded tasks, and offer the next lesson.
   * @param {Lesson} lesson */
  async tellEnd(lesson) {
    const say = lesson.words;
    const isOver = isFinished(lesson);
    if (!isOver || this.ended === lesson) {
      if (!isOver) this.end.replaceChildren();
      this.ended = isOver ? lesson : null;
      return;
    }
    this.ended = lesson;
    const notes = lesson.info.tasks.filter((task) => task.manual).map((task) => task.id);
    const finished = lesson.hidden ? say.finished(figure(lesson.total().most)) : say.finishedVisible;
    const said = [h('p', {}, h('strong', {}, finished))];
    if (notes.length > 0) said.push(h('p', {}, say.waits(notes.join(', '))));
    this.end.replaceChildren(...said);
    const next = await lesson.next();
    if (this.lesson !== lesson || this.ended !== lesson || next === undefined) return;
    if (next === null) this.end.append(h('p', {}, say.noNext));
    else this.end.append(button(say.nextIs(next.number, next.title), () => this.open(next.path), { class: 'secant-button secant-primary' }));
  }

  /** Scroll, after a check, to the most important result: a lesson's end or an achievement, else the only task
   * that was checked, else the first task that has not passed. The total stays in view if both fit.
   * @param {Lesson} lesson */
  bringIntoView(lesson) {
    if (isFinished(lesson) || lesson.gained?.achievements.length) {
      this.content.scrollTop = 0;
      this.gained.scrollIntoView({ block: 'nearest' });
      return;
    }
    const asked = this.rows.find((each) => each.task.id === lesson.lastTask);
    if (!asked) this.content.scrollTop = 0;
    const row = asked ?? this.rows.find(({ task }) => !['passed', 'manual'].includes(lesson.outcome(task)));
    row?.node.scrollIntoView({ block: 'nearest' });
  }

  updateClock() {
    const run = this.lesson?.run;
    if (!this.lesson) return;
    const say = this.lesson.words;
    const phase = run && { saving: say.saving, checking: say.checking, waiting: say.waiting, stopping: say.stopping }[run.phase];
    write(this.clock, run ? `${phase} ${say.elapsed(Math.floor((performance.now() - run.began) / 1000))}` : '');
  }

  /** Return the result of the last check as a sentence.
   * @param {Lesson} lesson */
  summary(lesson) {
    const say = lesson.words;
    const { passed, graded } = lesson.total();
    const only = lesson.lastTask && lesson.info.tasks.find((task) => task.id === lesson.lastTask);
    const one = only ? `${say.verdict(only.id, lesson.said(only))} ` : '';
    return one + (lesson.hidden ? say.summary(passed, graded, lesson.reached().said) : `${lesson.reached().said}.`);
  }

  /** Move the focus to a button in a task's row or, without such a row, to the first visible button of the panel.
   * @param {string | null} task */
  focus(task) {
    const row = this.rows.find((each) => each.task.id === task && each.node.isConnected);
    const place = row?.node ?? this.content;
    /** @type {HTMLElement[]} */
    const buttons = [...place.querySelectorAll('button')];
    buttons.find((each) => each.checkVisibility())?.focus();
    row?.node.scrollIntoView({ block: 'nearest' });
  }

  /** Return the task of the row that has the focus, or null. @returns {string | null} */
  focusedTask() {
    return document.activeElement?.closest('.secant-row')?.getAttribute('data-task') ?? null;
  }

  /** Bring a task's answer cell into view and select it.
   * @param {Lesson} lesson @param {string} task */
  async goTo(lesson, task) {
    const index = lesson.answerCells(task).at(-1);
    if (index === undefined) {
      lesson.problem = lesson.words.noCell;
      lesson.tell();
      return;
    }
    this.app.shell.activateById(lesson.notebook.id);
    const notebook = lesson.notebook.content;
    notebook.deselectAll();
    notebook.activeCellIndex = index;
    await notebook.scrollToItem(index, 'center');
    notebook.activate();
  }

  /** Ask the learner whether to show the solution of a task that has not passed.
   * @param {Words} say @returns {Promise<boolean>} */
  async ask(say) {
    const { Dialog, showDialog } = this.lab;
    const buttons = [
      Dialog.cancelButton({ label: say.solutionKeep }),
      Dialog.okButton({ label: say.solutionShow }),
    ];
    const answer = await showDialog({ title: say.solutionAsk, body: say.solutionWarning, buttons, defaultButton: 0 });
    return answer.button.accept;
  }

  /** Render a text from the server as Markdown that cannot load anything, run anything or show input elements.
   *
   * The text may come from a stranger's lesson.
   * @param {string} markdown @param {HTMLElement} host an element on the page; otherwise formulas are not typeset */
  async render(markdown, host) {
    const type = 'text/markdown';
    const renderer = this.rendermime.createRenderer(type);
    await renderer.renderModel(this.rendermime.createModel({ data: { [type]: markdown }, trusted: false }));
    this.lab.Widget.attach(renderer, host);
  }
}

/** Return whether every task that is graded automatically has passed.
 * @param {Lesson} lesson */
function isFinished(lesson) {
  return lesson.info.tasks.every((task) => task.manual || lesson.rows.get(task.id)?.outcome === 'passed');
}
