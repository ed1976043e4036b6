/** The start page: the learner's level, the map of the lessons, and the achievements. */

/** @import { Achievement, Jupyter, LessonState, Overview, Review } from './types.js' */
/** @import { Server } from './server.js' */
/** @import { Words } from './words.js' */
import { away, button, h, prose } from './dom.js';
import { levelBar } from './level.js';
import { isStranger, Refused, Unreachable } from './server.js';
import { day, figure, words } from './words.js';

const SIGNS = { new: '○', in_progress: '◐', done: '✓', missing: '–' };
/** Pixels between two rows of cards; the same value is in style.css. */
const GAP = 32;
const SVG = 'http://www.w3.org/2000/svg';

export class StartPage {
  /**
   * @param {Server} server
   * @param {string} language the language to request, or '' for the server's own
   * @param {{open: (path: string, task?: string | null) => void, text: () => void,
   *   render: (markdown: string, host: HTMLElement) => void, ask: (say: Words) => Promise<boolean>}} acts
   *   functions that open a lesson, show the plain page instead, render Markdown, and ask whether to start over
   */
  constructor(server, language, { open, text, render, ask }) {
    this.server = server;
    this.language = language;
    this.open = open;
    this.openText = text;
    this.render = render;
    this.ask = ask;
    /** The review question just answered; it stays until the learner continues. @type {HTMLElement | null} */
    this.answered = null;
    this.notice = '';
    this.drawn = '';
    this.node = h('div', { class: 'secant-start', role: 'region', tabindex: '-1' });
    /** @type {[SVGPathElement, HTMLElement, HTMLElement][]} */
    this.arrows = [];
    this.resized = new ResizeObserver(() => this.drawArrows());
    this.resized.observe(this.node);
  }

  /** Request the progress again; redraw the page only if something has changed, and keep the focus. */
  async refresh() {
    if (!this.node.isConnected) return;
    let overview;
    try {
      overview = await this.server.progress(this.language);
    } catch (error) {
      if (!this.drawn) this.drawTrouble(error);
      return;
    }
    const text = JSON.stringify(overview);
    if (text === this.drawn) return;
    this.drawn = text;
    const waits = document.activeElement === this.node;
    const focused = this.node.contains(document.activeElement) ? document.activeElement?.getAttribute('data-key') : null;
    this.draw(overview);
    if (waits) this.focus();
    if (focused) /** @type {HTMLElement | null} */ (this.node.querySelector(`[data-key="${focused}"]`))?.focus();
  }

  /** Move the focus to the Continue button, or to the page until that button exists. */
  focus() {
    if (this.node !== document.activeElement && this.node.contains(document.activeElement)) return;
    const next = /** @type {HTMLElement | null} */ (this.node.querySelector('.secant-continue'));
    (next ?? this.node).focus();
  }

  /** @param {unknown} error */
  drawTrouble(error) {
    const say = words(this.language);
    this.node.replaceChildren(
      h('h1', {}, say.title),
      h('p', { class: 'secant-problem', role: 'alert' }, sentence(say.noProgress, error)),
      h(
        'div',
        { class: 'secant-buttons' },
        button(say.retry, () => void this.refresh()),
        button(say.openText, this.openText),
      ),
    );
  }

  /** @param {Overview} overview */
  draw(overview) {
    const say = words(overview.language);
    const problem = overview.saved.problem ?? '';
    this.node.lang = overview.language;
    this.node.setAttribute('aria-label', say.startPage);
    this.node.replaceChildren(
      h('h1', {}, say.title),
      h('p', { class: 'secant-problem', role: 'alert', hidden: !problem }, problem),
      h('p', { class: 'secant-notice', role: 'status', hidden: !this.notice }, this.notice),
      this.elsewhere(overview, say) ?? '',
      h('div', { class: 'secant-top' }, this.level(overview, say), this.continue(overview, say)),
      this.answered ?? this.review(overview, say) ?? '',
      h('h2', {}, say.lessons),
      h('p', {}, say.how),
      h('p', { class: 'secant-legend' }, say.legend),
      overview.hidden ? '' : h('p', { class: 'secant-legend' }, say.countsVisible),
      this.map(overview, say),
      h('h2', {}, say.achievements),
      this.achievements(overview, say),
      h('p', { class: 'secant-kept' }, say.kept(overview.saved.path)),
      h('p', {}, away(say.report, overview.report, { 'data-key': 'report' })),
      overview.reviewing ? '' : button(say.reviewOn, () => void this.want(true), { 'data-key': 'review-on' }),
    );
    this.drawArrows();
  }

  /** @param {Overview} overview @param {Words} say */
  level({ level, lessons }, say) {
    const done = lessons.filter((lesson) => lesson.state === 'done').length;
    const { line, bar, more } = levelBar(level, say);
    return h(
      'section',
      { class: 'secant-level' },
      line,
      bar,
      h('p', { class: 'secant-small' }, more),
      h('p', { class: 'secant-small' }, say.lessonsDone(done, lessons.length)),
    );
  }

  /** @param {Overview} overview @param {Words} say */
  continue(overview, say) {
    const next = overview.continue;
    if (!next) return h('p', {}, overview.lessons.some((lesson) => lesson.path) ? (overview.hidden ? say.allDone : say.allVisible) : say.noneHere);
    const begun = overview.lessons.some((lesson) => lesson.state === 'in_progress' || lesson.state === 'done');
    const isNew = overview.lessons.some((lesson) => lesson.number === next.number && lesson.state === 'new');
    const title = `${next.number}. ${next.title}`;
    const task = next.task_title || next.task;
    return h(
      'button',
      {
        type: 'button',
        class: 'secant-button secant-primary secant-continue',
        'data-key': 'continue',
        onclick: () => this.open(next.path, next.task),
      },
      h('strong', {}, !begun ? say.begin : isNew ? say.nextLesson : say.continue),
      h('span', {}, task ? `${title} · ${task}` : title),
    );
  }

  /** Create a note that the points shown come from another copy of the lessons; null if they do not.
   * @param {Overview} overview @param {Words} say */
  elsewhere(overview, say) {
    if (!overview.elsewhere) return null;
    return h(
      'section',
      { class: 'secant-elsewhere' },
      h('p', {}, say.elsewhere(overview.saved.path)),
      button(say.anew, () => void this.beginAnew(say), { 'data-key': 'anew' }),
    );
  }

  /** @param {Words} say */
  async beginAnew(say) {
    if (!(await this.ask(say))) return;
    try {
      const { aside } = await this.server.anew();
      this.notice = aside ? say.anewDone(aside) : '';
    } catch (error) {
      this.notice = sentence(say.noProgress, error);
    }
    this.drawn = '';
    await this.refresh();
  }

  /** Create the section that asks an earlier prediction again; null if none is due.
   * @param {Overview} overview @param {Words} say */
  review({ review }, say) {
    if (!review) return null;
    const text = h('div', { class: 'secant-review-text' });
    this.render(review.text.replace(/^#+ .*\n/, ''), text);
    const reply = h('div', { role: 'status' });
    const section = h(
      'section',
      { class: 'secant-review', 'aria-label': say.review },
      h('h2', {}, say.review),
      h('p', { class: 'secant-small' }, say.reviewFrom(review.number, review.days)),
      text,
      h('div', { class: 'secant-choices' }, ...Object.keys(review.choices).map((letter) => this.choice(review, letter, say, () => section))),
      reply,
      button(say.reviewOff, () => void this.want(false), { 'data-key': 'review-off' }),
    );
    return section;
  }

  /** @param {Review} review @param {string} letter @param {Words} say @param {() => HTMLElement} section */
  choice(review, letter, say, section) {
    const label = prose(`${letter}.  ${review.choices[letter]}`);
    const choose = () => void this.answer(review, letter, say, section());
    return h('button', { type: 'button', class: 'secant-button secant-choice', 'data-key': `review-${letter}`, onclick: choose }, ...label.childNodes);
  }

  /** Show whether a choice was right, and why. The reply stays until the learner continues.
   * @param {Review} review @param {string} chosen @param {Words} say @param {HTMLElement} section */
  async answer(review, chosen, say, section) {
    this.answered = section;
    for (const each of section.querySelectorAll('.secant-choice')) /** @type {HTMLButtonElement} */ (each).disabled = true;
    const right = chosen === review.right;
    const done = button(say.reviewNext, () => {
      this.answered = null;
      this.drawn = '';
      void this.refresh();
    });
    section.querySelector('[role=status]')?.replaceChildren(
      h('p', {}, h('strong', {}, right ? say.reviewRight : say.reviewWrong(chosen, review.right))),
      ...(right ? [] : [prose(review.replies[chosen])]),
      prose(review.replies[review.right]),
      done,
    );
    done.focus();
    await this.server.review({ name: review.name, right }).catch(() => {}); // if this fails, the server will ask the prediction again
  }

  /** @param {boolean} wanted whether earlier predictions are to be asked again */
  async want(wanted) {
    this.answered = null;
    await this.server.review({ wanted }).catch(() => {});
    this.drawn = '';
    await this.refresh();
  }

  /** @param {Overview} overview @param {Words} say */
  map(overview, say) {
    const arrows = document.createElementNS(SVG, 'svg');
    arrows.setAttribute('class', 'secant-arrows');
    arrows.setAttribute('aria-hidden', 'true');
    const head = document.createElementNS(SVG, 'marker');
    for (const [name, value] of Object.entries({ id: 'secant-head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' })) {
      head.setAttribute(name, String(value));
    }
    const tip = document.createElementNS(SVG, 'path');
    tip.setAttribute('d', 'M0 0 8 4 0 8z');
    head.append(tip);
    arrows.append(head);
    /** @type {Map<number, HTMLElement>} */
    const cards = new Map();
    for (const lesson of overview.lessons) cards.set(lesson.number, this.card(lesson, say, overview.hidden));
    this.arrows = [];
    for (const lesson of overview.lessons) {
      for (const number of lesson.prerequisites) {
        const [from, to] = [cards.get(number), cards.get(lesson.number)];
        if (!from || !to) continue;
        const path = document.createElementNS(SVG, 'path');
        path.setAttribute('marker-end', 'url(#secant-head)');
        arrows.append(path);
        this.arrows.push([path, from, to]);
      }
    }
    return h('div', { class: 'secant-map' }, h('ol', { 'aria-label': say.lessons }, ...cards.values()), arrows);
  }

  /** @param {LessonState} lesson @param {Words} say @param {boolean} hidden whether hidden tests give points here */
  card(lesson, say, hidden) {
    const { path, beside } = lesson;
    const tasks = say.tasksVisible(lesson.passed, lesson.graded);
    const reached = hidden
      ? {
          value: lesson.points,
          most: lesson.max_points,
          said: say.points(figure(lesson.points), figure(lesson.max_points)),
          name: say.pointsName(figure(lesson.points), figure(lesson.max_points)),
        }
      : { value: lesson.passed, most: lesson.graded, said: tasks, name: `${say.passedVisible}: ${tasks}` };
    const state = lesson.state === 'done' && !hidden ? say.passedVisible : say.state[lesson.state];
    const title = [h('span', { class: 'secant-number' }, `${lesson.number}`), h('span', {}, lesson.title)];
    const name = path
      ? h('button', { type: 'button', class: 'secant-open', 'data-key': lesson.folder, onclick: () => this.open(path) }, ...title)
      : h('span', { class: 'secant-open' }, ...title);
    const more = [];
    if (lesson.predictions.of > 0) more.push(say.predictions(lesson.predictions.made, lesson.predictions.of));
    if (lesson.prerequisites.length > 0) more.push(say.after(lesson.prerequisites.join(', ')));
    return h(
      'li',
      { class: 'secant-card', 'data-state': lesson.state },
      h('h3', {}, name),
      h('p', { class: 'secant-small' }, [say.minutes(lesson.minutes), ...lesson.tags].join(' · ')),
      h(
        'p',
        { class: 'secant-line' },
        h('span', { class: 'secant-sign', 'aria-hidden': 'true' }, SIGNS[lesson.state]),
        h('span', { class: 'secant-outcome' }, state),
        h('span', { class: 'secant-points' }, reached.said),
      ),
      h('progress', { max: reached.most || 1, value: reached.value, 'aria-label': reached.name }),
      h('p', { class: 'secant-small' }, more.join(' · ')),
      beside ? button(say.newVersion(lesson.number), () => this.open(beside), { 'data-key': `${lesson.folder}/new` }) : null,
    );
  }

  /** @param {Overview} overview @param {Words} say */
  achievements({ achievements, language, hidden }, say) {
    const earned = achievements.filter((each) => each.earned);
    const one = (/** @type {Achievement} */ { title, how, earned: when }) =>
      h(
        'li',
        { 'data-earned': String(when !== null) },
        h('span', { class: 'secant-medal', 'aria-hidden': 'true' }, when ? '★' : '☆'),
        h(
          'div',
          {},
          h('strong', {}, title),
          h('p', {}, how),
          h('p', { class: 'secant-small' }, when ? say.earnedOn(day(when, language)) : say.notEarned),
        ),
      );
    return h(
      'div',
      {},
      h('p', { class: 'secant-legend' }, hidden ? say.achievementsCount(earned.length, achievements.length) : say.noHidden),
      h('ul', { class: 'secant-achievements' }, ...achievements.map(one)),
    );
  }

  /** Draw the arrows again, between the cards' current positions. */
  drawArrows() {
    const map = this.node.querySelector('.secant-map');
    if (!map) return;
    const { left, top } = map.getBoundingClientRect();
    for (const [path, from, to] of this.arrows) {
      const [a, b] = [from, to].map((card) => {
        const box = card.getBoundingClientRect();
        return { x: box.left - left, y: box.top - top, width: box.width, bottom: box.bottom - top };
      });
      path.setAttribute('d', route(a, b, from.nextElementSibling === to));
    }
  }
}

/** Return the sentence that tells why there is no progress to show. The server's own message, if used, is in the
 * learner's language.
 * @param {Words['noProgress']} say
 * @param {unknown} error
 * @returns {string} */
function sentence(say, error) {
  if (error instanceof Unreachable) return say.unreachable;
  if (error instanceof Refused && isStranger(error.status)) return say.refused;
  const why = error instanceof Error ? error.message : '';
  if (error instanceof Refused && error.status === 404 && why) return why;
  return say.trouble(why && ` (${why.replace(/\.$/, '')})`);
}

/** Return the SVG path of an arrow between two cards: across the gap to the next card, else around the cards between.
 * @typedef {{x: number, y: number, width: number, bottom: number}} Box
 * @param {Box} a @param {Box} b @param {boolean} next */
function route(a, b, next) {
  if (next && b.x > a.x) return `M ${a.x + a.width} ${a.y + 28} H ${b.x}`;
  const leave = a.x + a.width * (next ? 0.5 : 0.75);
  const arrive = b.x + b.width * (next ? 0.5 : 0.25);
  // Arrows to the next card and other arrows use different lanes, so that they do not overlap in a gap.
  const lane = next ? 0.5 : 0.25;
  const below = a.bottom + GAP * lane;
  const above = b.y - GAP * (1 - lane);
  const around = Math.abs(above - below) < GAP ? '' : `H 4 V ${above}`;
  return `M ${leave} ${a.bottom} V ${below} ${around} H ${arrive} V ${b.y}`;
}
