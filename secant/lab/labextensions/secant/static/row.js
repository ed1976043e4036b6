/** A task's row in the panel, with its verdict, hints and worked solution. */

/** @import { Jupyter, Row as Verdict, Task } from './types.js' */
/** @import { Lesson } from './lesson.js' */
/** @import { Panel } from './panel.js' */
import { away, button, h, prose, write } from './dom.js';
import { figure } from './words.js';

/** Signs shown next to an outcome's word, so that colour alone does not convey the outcome. */
export const SIGNS = {
  passed: '✓',
  wrong: '✗',
  not_attempted: '–',
  crashed: '!',
  timed_out: '∞',
  rejected: '⊘',
  manual: '✎',
  grader_failure: '?',
  unchecked: '○',
  waiting: '…',
};

export class Row {
  /**
   * @param {Panel} panel
   * @param {Lesson} lesson
   * @param {Task} task
   */
  constructor(panel, lesson, task) {
    this.panel = panel;
    this.lesson = lesson;
    this.task = task;
    this.hints = 0;
    /** Whether a hint or the solution is being loaded. */
    this.busy = false;
    /** The verdict that is currently drawn. @type {Verdict | undefined} */
    this.drawn = undefined;
    const say = lesson.words;
    this.sign = h('span', { class: 'secant-sign', 'aria-hidden': 'true' });
    this.word = h('span', { class: 'secant-outcome' });
    this.points = h('span', { class: 'secant-points' });
    this.changed = h('span', { class: 'secant-changed' });
    this.best = h('span', { class: 'secant-small' });
    this.twice = h('p', { class: 'secant-notice' });
    this.body = h('div', { class: 'secant-verdict' });
    this.more = h('div', { class: 'secant-more' });
    this.trouble = h('p', { class: 'secant-problem', role: 'alert', hidden: true });
    this.checkButton = button(say.checkTask, () => void lesson.check(task.id), { 'aria-label': say.checkTaskOf(task.id) });
    this.hintButton = button('', () => void this.nextHint());
    this.solutionButton = button(say.solution, () => void this.showSolution());
    this.solutionButton.hidden = !lesson.info.hidden; // the class edition contains no solutions
    // A title such as "Task 1.2 · central_difference" already contains the task's id.
    const at = task.title.indexOf(task.id);
    const before = at < 0 ? '' : task.title.slice(0, at);
    const after = at < 0 ? ` ${task.title}` : task.title.slice(at + task.id.length);
    this.node = h(
      'li',
      { class: 'secant-row', 'data-task': task.id },
      h(
        'h3',
        {},
        h(
          'button',
          { type: 'button', class: 'secant-go', title: say.goTo(task.id), onclick: () => panel.goTo(lesson, task.id) },
          before,
          h('code', {}, task.id),
          after,
        ),
      ),
      h('p', { class: 'secant-line' }, this.sign, this.word, this.changed, this.points, this.best),
      this.twice,
      this.body,
      this.trouble,
      h('div', { class: 'secant-buttons' }, task.manual ? null : this.checkButton, this.hintButton, this.solutionButton),
      h('p', {}, away(say.report, task.report, { 'aria-label': say.reportTask(task.id) })),
      this.more,
    );
  }

  update() {
    const { lesson, task } = this;
    const say = lesson.words;
    const row = lesson.rows.get(task.id);
    const outcome = lesson.outcome(task);
    this.node.dataset.outcome = outcome;
    this.node.toggleAttribute('data-stale', lesson.stale(task.id));
    write(this.sign, SIGNS[outcome]);
    write(this.word, lesson.said(task));
    const points = outcome === 'manual' || !row || !lesson.hidden ? '–' : figure(row.points);
    write(this.points, say.points(points, figure(task.max_points)));
    const best = lesson.best.get(task.id) ?? 0;
    write(this.best, lesson.hidden && best > (row?.points ?? 0) ? say.bestOf(figure(best)) : '');
    write(this.changed, outcome !== 'waiting' && lesson.stale(task.id) ? say.rowChanged : '');
    write(this.twice, lesson.answerCells(task.id).length > 1 ? say.twice : '');
    this.toggle(this.checkButton, lesson.run !== null);
    const hints = outcome === 'passed' ? 0 : (row?.hints ?? task.hints);
    this.hintButton.hidden = this.hints >= hints;
    write(this.hintButton, this.hints < hints ? say.hint(this.hints + 1, hints) : '');
    if (row !== this.drawn) this.draw(row);
  }

  /** Mark a button as disabled or enabled without taking the focus from it.
   * @param {HTMLElement} element @param {boolean} off */
  toggle(element, off) {
    element.setAttribute('aria-disabled', String(off));
  }

  /** @param {Verdict | undefined} row */
  draw(row) {
    this.drawn = row;
    write(this.trouble, ''); // a new verdict shows that the server answers again
    const say = this.lesson.words;
    if (!row) {
      this.body.replaceChildren();
      return;
    }
    /** @type {HTMLElement[]} */
    const drawn = [];
    /** @type {HTMLElement | null} */
    let pairs = null;
    for (const [place, { kind, text }] of row.parts.entries()) {
      if (kind === 'expected' || kind === 'got') {
        if (!pairs) drawn.push((pairs = h('dl', { class: 'secant-pairs' })));
        pairs.append(h('dt', {}, say[kind]), h('dd', { class: `secant-${kind}` }, h('pre', {}, text)));
        continue;
      }
      pairs = null;
      if (kind === 'cause' || kind === 'note') drawn.push(this.labelled(kind, text));
      else if (!['call', 'trace', 'code'].includes(kind)) drawn.push(prose(text));
      else {
        if (kind === 'code' && row.parts[place - 1]?.kind === 'trace') drawn.push(h('p', {}, say.yourLine));
        drawn.push(h('pre', { class: `secant-${kind}`, lang: /[가-힣]/.test(text) ? null : 'en' }, text));
      }
    }
    this.body.replaceChildren(...drawn);
  }

  /** Create a paragraph that begins with a label, such as the one for the likely cause.
   * @param {'cause' | 'note'} kind @param {string} text */
  labelled(kind, text) {
    const paragraph = prose(text);
    paragraph.prepend(h('strong', {}, this.lesson.words[kind]), ' ');
    paragraph.className = `secant-${kind}`;
    return paragraph;
  }

  async nextHint() {
    const { lesson, task } = this;
    await this.try(async () => {
      const hint = await lesson.server.hint(lesson.notebook.context.path, task.id, this.hints + 1);
      this.hints = hint.number;
      await this.add(hint.title, hint.text);
      this.update();
      // The last hint hides the hint button, so the focus moves to the button next to it.
      if (this.hintButton.hidden && lesson.info.hidden) this.solutionButton.focus();
    });
  }

  /** Show the hints that the learner requested in earlier sessions. */
  async restore() {
    await this.try(async () => {
      while (this.hints < this.task.shown.length) {
        const hint = this.task.shown[this.hints++];
        await this.append(hint.title, hint.text);
      }
      this.update();
    });
  }

  async showSolution() {
    const { lesson, task } = this;
    const say = lesson.words;
    await this.try(async () => {
      const passed = lesson.rows.get(task.id)?.outcome === 'passed' || (lesson.best.get(task.id) ?? 0) >= task.max_points;
      if (!passed && !(await this.panel.ask(say))) return;
      const solution = await lesson.server.solution(lesson.notebook.context.path, task.id);
      const longest = Math.max(2, ...[...solution.code.matchAll(/`+/g)].map((run) => run[0].length));
      const fence = '`'.repeat(longest + 1);
      const noted = solution.noted ? `${say.solutionNoted}\n\n` : '';
      await this.add(say.solution, `${noted}${fence}python\n${solution.code}\n${fence}\n\n${solution.words}`);
      this.solutionButton.hidden = true;
      this.panel.progressed();
    });
  }

  /** Show a text below the verdict, and move the focus to it.
   * @param {string} title @param {string} markdown */
  async add(title, markdown) {
    const block = await this.append(title, markdown);
    /** @type {HTMLElement} */ (block.firstElementChild).focus();
    block.scrollIntoView({ block: 'nearest' });
  }

  /** @param {string} title @param {string} markdown @returns {Promise<HTMLElement>} */
  async append(title, markdown) {
    const heading = h('h4', { tabindex: '-1' }, title);
    const block = h('section', {}, heading);
    this.more.append(block);
    await this.panel.render(markdown, block);
    return block;
  }

  /** Run one request at a time: ignore a click while an earlier request is still running.
   * @param {() => Promise<void>} act */
  async try(act) {
    if (this.busy) return;
    this.busy = true;
    write(this.trouble, '');
    try {
      await act();
    } catch (error) {
      write(this.trouble, this.lesson.sentence(error));
    } finally {
      this.busy = false;
    }
  }
}
