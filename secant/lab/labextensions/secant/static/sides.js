/** Close sidebars in a narrow window to make room for the notebook, except a sidebar that the user opened there. */

/** @import { Jupyter } from './types.js' */

/** Minimum widths of the window, in pixels, with room for a notebook and one sidebar, and for a notebook and two. */
const ONE = 760;
const TWO = 1100;
const KEY = 'secant:room';

/** Return the number of sidebars that the window has room for. */
function room() {
  return Number(window.innerWidth >= ONE) + Number(window.innerWidth >= TWO);
}

export class Sides {
  /**
   * @param {Jupyter} shell JupyterLab's shell, after its layout is restored
   * @param {() => boolean} panelShown returns whether Secant's panel on the right is in view
   */
  constructor(shell, panelShown) {
    this.shell = shell;
    this.panelShown = panelShown;
    this.room = room();
    /** The sidebars' last known state. */
    this.seen = this.look();
    /** Whether the user opened the left sidebar in a window with as little room as now. */
    this.byHand = false;
    /** The sidebars that were closed automatically; they are opened again when there is room. */
    this.closed = { left: false, right: false };
    shell.layoutModified.connect(() => this.changed());
  }

  /** React to changes of the window's width; used only in the learner's own JupyterLab. */
  follow() {
    // A reloaded page restores its sidebars. In a new window, the user has not opened any yet, so they may be closed.
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
    // Opening the panel closes the left sidebar if there is no room for both.
    if (this.seen.panel && !before.panel && this.room < 2 && !this.byHand) this.close('left');
  }

  /** Close the sidebars that the window has no room for. */
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
