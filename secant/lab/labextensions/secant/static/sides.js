/** Room for what is read: in a narrow window the sidebars give way, save what was opened by hand there. */

/** @import { Jupyter } from './types.js' */

/** Widths of the window, in pixels, from which on there is room beside a notebook for one sidebar, and for two. */
const ONE = 760;
const TWO = 1100;
const KEY = 'secant:room';

/** How many sidebars there is room for. */
function room() {
  return Number(window.innerWidth >= ONE) + Number(window.innerWidth >= TWO);
}

export class Sides {
  /**
   * @param {Jupyter} shell JupyterLab's, once its layout is restored
   * @param {() => boolean} panelShown whether the panel on the right is in view
   */
  constructor(shell, panelShown) {
    this.shell = shell;
    this.panelShown = panelShown;
    this.room = room();
    /** What is open, as it was seen last. */
    this.seen = this.look();
    /** Whether the left sidebar was opened by hand, in a window with as little room as now. */
    this.byHand = false;
    /** What was closed here, and is opened again where there is room again. */
    this.closed = { left: false, right: false };
    shell.layoutModified.connect(() => this.changed());
  }

  /** Follow the window's width, in a lab that is the learner's own. */
  follow() {
    // A page that is loaded again has what was open; in a new window nobody has opened anything yet.
    if (sessionStorage.getItem(KEY) !== String(this.room)) this.giveWay();
    window.addEventListener('resize', () => this.resized());
  }

  look() {
    const { leftCollapsed, rightCollapsed } = this.shell;
    return { left: !leftCollapsed, right: !rightCollapsed, panel: this.panelShown() };
  }

  changed() {
    const before = this.seen;
    this.seen = this.look();
    if (this.seen.left !== before.left) {
      this.byHand = this.seen.left;
      this.closed.left = false;
    }
    if (this.seen.right) this.closed.right = false;
    // The left sidebar gives way to the panel.
    if (this.seen.panel && !before.panel && this.room < 2 && !this.byHand) this.close('left');
  }

  /** Close what there is no room for. */
  giveWay() {
    sessionStorage.setItem(KEY, String(this.room));
    this.byHand = false;
    if (this.room === 0) this.close('right');
    if (this.room === 0 || (this.room === 1 && this.look().right)) this.close('left');
  }

  resized() {
    const before = this.room;
    this.room = room();
    if (this.room < before) this.giveWay();
    if (this.room <= before) return;
    sessionStorage.setItem(KEY, String(this.room));
    if (this.closed.right) this.open('right');
    if (this.closed.left && (this.room === 2 || !this.look().right)) this.open('left');
  }

  /** @param {'left' | 'right'} side */
  close(side) {
    if (!this.look()[side]) return;
    if (side === 'left') this.shell.collapseLeft();
    else this.shell.collapseRight();
    this.closed[side] = true;
    this.seen = this.look();
  }

  /** @param {'left' | 'right'} side */
  open(side) {
    if (side === 'left') this.shell.expandLeft();
    else this.shell.expandRight();
    this.closed[side] = false;
    this.seen = this.look();
  }
}
