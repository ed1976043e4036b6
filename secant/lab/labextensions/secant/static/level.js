/** The display of the learner's level, with a progress bar to the next level and the experience points. */

/** @import { Level } from './types.js' */
/** @import { Words } from './words.js' */
import { h } from './dom.js';

/** @param {Level} level @param {Words} say @returns {{line: HTMLElement, bar: HTMLElement, more: string}} */
export function levelBar(level, say) {
  const more = level.to === null ? say.xpTop : say.xpTo(level.to - level.xp);
  const whole = level.to === null ? 1 : level.to - level.from;
  const part = level.to === null ? 1 : level.xp - level.from;
  return {
    line: h('p', { class: 'secant-level-line' }, h('strong', {}, say.level(level.number, level.title)), h('span', {}, say.xp(level.xp))),
    bar: h('progress', { max: whole, value: part, 'aria-label': more, title: more }),
    more,
  };
}
