/** The plugin for JupyterLab and Notebook 7: it adds commands, buttons, the panel and the start page. */

/** @import { Jupyter } from './types.js' */
/** @import { Words } from './words.js' */
import { decorate } from './cell.js';
import { button, h, write } from './dom.js';
import { chooseByArrows, handOnKeys, handOnShortcuts } from './keys.js';
import { hasTests, Lesson, sentence, taskAt } from './lesson.js';
import { Panel } from './panel.js';
import { Plain } from './plain.js';
import { replaceBroken } from './remains.js';
import { isPlain, isStranger, Refused, Server, Unreachable } from './server.js';
import { Sides } from './sides.js';
import { StartPage } from './start.js';
import { words } from './words.js';

const CHECK = 'secant:check';
const START = 'secant:start';
const PANEL = 'secant:panel';
/** Milliseconds until the server is asked again about a notebook. */
const RETRY = 5000;
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="16">
  <g class="jp-icon3" fill="none" stroke="#616161" stroke-width="2" stroke-linecap="round">
  <path d="M3 20C9 20 12 12 21 4"/><path d="M4 22 20 6" stroke-dasharray="1 4"/><path d="M5 8l3 3 6-7"/></g></svg>`;

/** @param {Jupyter} lab the classes of JupyterLab's packages, by name */
export function plugin(lab) {
  return {
    id: 'secant:plugin',
    description: 'Checks the answers of a Secant lesson, and shows progress.',
    autoStart: true,
    requires: [lab.INotebookTracker, lab.IRenderMimeRegistry],
    optional: [lab.ICommandPalette, lab.ILayoutRestorer, lab.ILauncher].filter(Boolean), // Notebook 7 has no launcher
    /**
     * @param {Jupyter} app
     * @param {Jupyter} tracker
     * @param {Jupyter} rendermime
     * @param {Jupyter} palette
     * @param {Jupyter} restorer
     * @param {Jupyter} launcher
     */
    activate: (app, tracker, rendermime, palette, restorer, launcher) =>
      new Extension(lab, app, tracker, rendermime, restorer).add(palette, launcher),
  };
}

class Extension {
  /**
   * @param {Jupyter} lab
   * @param {Jupyter} app
   * @param {Jupyter} tracker
   * @param {Jupyter} rendermime
   * @param {Jupyter} restorer
   */
  constructor(lab, app, tracker, rendermime, restorer) {
    this.lab = lab;
    this.app = app;
    this.tracker = tracker;
    this.restorer = restorer;
    this.server = new Server(lab, app.serviceManager.serverSettings);
    this.chosen = lab.PageConfig.getOption('secantLanguage');
    this.language = this.chosen || (document.documentElement.lang.startsWith('ko') ? 'ko' : 'en');
    this.icon = new lab.LabIcon({ name: 'secant:icon', svgstr: ICON });
    /** @type {WeakMap<object, Lesson>} */
    this.lessons = new WeakMap();
    /** The problem because of which the server could not be asked, by notebook. @type {WeakMap<object, string>} */
    this.troubles = new WeakMap();
    /** @type {Jupyter} */
    this.startWidget = null;
    /** @type {StartPage | null} */
    this.startPage = null;
    /** @type {Sides | null} */
    this.sides = null;
    this.asking = false;
    const refresh = () => void this.startPage?.refresh();
    const open = (/** @type {string} */ path) => void this.openLesson(path);
    this.panel = new Panel(app, lab, rendermime, words(this.language), refresh, open);
    this.panel.widget.title.icon = this.icon;
  }

  /** @param {Jupyter} palette @param {Jupyter} launcher */
  add(palette, launcher) {
    const { app, lab } = this;
    const say = () => this.current()?.words ?? words(this.language);
    app.commands.addCommand(CHECK, {
      label: () => say().checkLesson,
      caption: () => say().checkCaption,
      isEnabled: () => this.current() !== null,
      execute: () => this.check(),
      describedBy: { args: { type: 'object', properties: {} } },
    });
    app.commands.addCommand(START, {
      label: () => words(this.language).startPage,
      icon: this.icon,
      execute: () => this.openStart(),
      describedBy: { args: { type: 'object', properties: {} } },
    });
    app.commands.addCommand(PANEL, {
      label: () => say().toPanel,
      execute: () => this.toPanelOrBack(),
      describedBy: { args: { type: 'object', properties: {} } },
    });
    for (const command of [CHECK, PANEL, START]) palette?.addItem({ command, category: words(this.language).category });
    launcher?.add({ command: START, category: words(this.language).category, rank: 0 });

    app.shell.add(this.panel.widget, 'right', { rank: 900, type: 'Secant' });
    this.tracker.widgetAdded.connect((/** @type {unknown} */ _, /** @type {Jupyter} */ notebook) => void this.meet(notebook));
    this.tracker.forEach((/** @type {Jupyter} */ notebook) => void this.meet(notebook));
    this.tracker.currentChanged.connect(() => this.follow());
    chooseByArrows();
    handOnKeys();
    handOnShortcuts();
    app.serviceManager.connectionFailure?.connect(() => void this.awaitServer());
    if (app.name !== 'Jupyter Notebook') {
      void app.restored.then(() => {
        this.sides = new Sides(app.shell, () => this.panel.widget.isVisible);
        if (lab.PageConfig.getOption('secantStart') !== '') this.sides.follow();
      });
    }
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void this.startPage?.refresh();
    });
    if (app.name !== 'Jupyter Notebook') this.makeStart(); // when a page is restored, it also restores an open start page
    // This runs before JupyterLab reads the address: the address of the plain start page opens this start page instead.
    const page = lab.PageConfig.getOption('secantStart');
    const here = new URL(location.href);
    const [place, file] = here.pathname.split('/tree/');
    const plain = page !== '' && file !== undefined && decodeURIComponent(file) === page;
    if (plain || here.searchParams.get('secant') === 'start') {
      here.searchParams.delete('secant');
      if (plain) {
        here.pathname = place;
        lab.PageConfig.setOption('treePath', ''); // the server has set this option from the address
      }
      history.replaceState(history.state, '', here);
      void app.restored.then(() => {
        void app.commands.execute(START);
        this.keepInFront(page);
      });
    } else if (page !== '') {
      // A restored window with no open document also shows the start page.
      void app.restored.then(() => {
        const open = [...app.shell.widgets('main')];
        if (open.every((widget) => this.isFiller(widget, page))) {
          void app.commands.execute(START);
          this.keepInFront(page);
        }
      });
    }
  }

  /** Return whether the start page replaces this widget: JupyterLab's launcher, or the start page as text.
   * @param {Jupyter} widget @param {string} page */
  isFiller(widget, page) {
    return widget.id.startsWith('launcher-') || (page !== '' && widget.context?.path === page);
  }

  /** Return the lesson of the active notebook. @returns {Lesson | null} */
  current() {
    return this.lessons.get(this.tracker.currentWidget) ?? null;
  }

  /** Show the active notebook in the panel; without an active notebook, as on the start page, change nothing. */
  follow() {
    const notebook = this.tracker.currentWidget;
    if (notebook) this.panel.show(this.current(), this.troubles.get(notebook));
    this.app.commands.notifyCommandChanged(CHECK);
  }

  /** Find out whether a notebook is a lesson and, if so, add the buttons.
   * @param {Jupyter} notebook a NotebookPanel */
  async meet(notebook) {
    const fresh = !notebook.context.isReady;
    await notebook.context.ready;
    if (notebook.isDisposed) return;
    const candidate = hasTests(notebook.model);
    if (candidate && fresh) stayClean(notebook.model);
    const lesson = candidate ? await this.find(notebook) : null;
    if (notebook.isDisposed) return;
    replaceBroken(notebook, lesson, lesson?.words ?? words(this.language));
    if (!lesson) return;
    if (!(lesson instanceof Plain)) decorate(lesson, this.lab);
    this.watch(lesson);
    this.follow();
  }

  /** Ask the server about a notebook until it answers; meanwhile the Check button leads to the problem.
   * @param {Jupyter} notebook @returns {Promise<Lesson | null>} null if there is nothing to check */
  async find(notebook) {
    const say = words(this.language);
    /** @type {() => void} */
    let again = () => {};
    let pressed = false;
    const press = () => {
      const lesson = this.lessons.get(notebook);
      if (lesson) return void this.check(lesson);
      pressed = true;
      again();
    };
    const show = this.button(notebook, press);
    for (;;) {
      try {
        const info = await this.server.lesson(notebook.context.path);
        if (notebook.isDisposed) return null;
        const { contents } = this.app.serviceManager;
        const language = this.language === 'ko' ? 'ko' : 'en';
        const lesson = isPlain(info)
          ? new Plain(notebook, this.server, info, language, contents)
          : new Lesson(notebook, this.server, info, contents);
        this.lessons.set(notebook, lesson);
        this.troubles.delete(notebook);
        show(lesson.words, isPlain(info) ? lesson.words.plain.caption : lesson.words.checkCaption);
        if (pressed) setTimeout(() => void this.check(lesson));
        return lesson;
      } catch (error) {
        if (notebook.isDisposed || (error instanceof Refused && [404, 415].includes(error.status))) return null;
        this.troubles.set(notebook, sentence(say, error));
        show(say);
        this.follow();
        if (pressed) this.reveal();
      }
      pressed = false;
      const patience = setTimeout(() => again(), RETRY);
      await new Promise((go) => (again = () => go(null)));
      clearTimeout(patience);
      if (notebook.isDisposed) return null;
    }
  }

  /** Create the Check button for a notebook's toolbar; return a function that labels it and puts it into the toolbar.
   * @param {Jupyter} notebook @param {() => void} act */
  button(notebook, act) {
    // JupyterLab's ToolbarButton is not used, because its element has attributes that its ARIA role does not allow.
    const press = button('', act, { class: 'secant-button secant-check' });
    const widget = new this.lab.Widget({ node: h('div', { class: 'secant-toolbar' }, press) });
    const { toolbar } = notebook;
    toolbar.node.classList.toggle('secant-lesson', this.lab.PageConfig.getOption('secantStart') !== '');
    return (/** @type {Words} */ say, caption = say.checkCaption) => {
      write(press, `✓ ${say.check}`);
      press.ariaLabel = say.check;
      press.title = caption;
      // The button comes near the start, because a narrow window moves the last buttons into a menu.
      if (!widget.parent) toolbar.insertAfter('save', 'secant', widget) || toolbar.addItem('secant', widget);
    };
  }

  /** Notify a lesson's listeners when its notebook changes, and refresh the start page after a check.
   * @param {Lesson} lesson */
  watch(lesson) {
    const { model } = lesson.notebook.content;
    let soon = 0;
    const changed = () => {
      clearTimeout(soon);
      soon = setTimeout(() => lesson.tell(), 300);
    };
    model.contentChanged.connect(changed);
    lesson.notebook.disposed.connect(() => {
      clearTimeout(soon);
      model.contentChanged.disconnect(changed);
      // Closing the connection stops the check of a notebook that is closed.
      lesson.run?.abort.abort();
      if (this.panel.lesson === lesson) this.panel.show(null);
    });
    let running = false;
    lesson.listeners.add(() => {
      const ended = running && lesson.run === null;
      running = lesson.run !== null;
      if (ended) void this.startPage?.refresh();
    });
  }

  /** Check a lesson, and show the panel without moving the focus.
   * @param {Lesson | null} [lesson] */
  async check(lesson = this.current()) {
    if (!lesson) return;
    this.panel.show(lesson);
    this.reveal();
    await lesson.check();
  }

  /** Show a warning in the panel until the server answers again. */
  async awaitServer() {
    if (this.asking) return;
    this.asking = true;
    for (let gone = true; gone; ) {
      try {
        await this.server.progress(this.chosen);
        gone = false;
      } catch (error) {
        gone = error instanceof Unreachable || (error instanceof Refused && isStranger(error.status));
        if (gone) this.panel.warn(sentence(this.panel.lesson?.words ?? words(this.language), error));
      }
      if (gone) await new Promise((go) => setTimeout(go, RETRY));
    }
    this.panel.warn('');
    this.asking = false;
    void this.startPage?.refresh();
  }

  /** Bring the panel into view without moving the focus. */
  reveal() {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    if (!this.panel.widget.isVisible) this.app.shell.activateById(this.panel.widget.id);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
  }

  /** Move the focus from the notebook to the row of the active cell in the panel, or from a row back to its cell. */
  async toPanelOrBack() {
    const { lesson, widget } = this.panel;
    if (widget.node.contains(document.activeElement)) {
      const task = this.panel.focusedTask();
      if (lesson && task) await this.panel.goTo(lesson, task);
      else if (this.tracker.currentWidget) this.app.shell.activateById(this.tracker.currentWidget.id);
      return;
    }
    this.app.shell.activateById(widget.id);
    const cell = this.tracker.currentWidget?.content.activeCell;
    this.panel.focus(cell ? taskAt(cell.model) : null);
  }

  /** Open the start page, or bring it to the front. */
  openStart() {
    const { app, lab } = this;
    if (app.name === 'Jupyter Notebook') {
      // Notebook 7 shows one document per page.
      window.open(`${lab.PageConfig.getBaseUrl()}lab?secant=start`, '_blank', 'noopener');
      return;
    }
    if (this.startWidget.isDisposed) this.makeStart();
    if (this.startWidget.isAttached) void this.startPage?.refresh();
    else app.shell.add(this.startWidget, 'main', { type: 'Secant' });
    app.shell.activateById(this.startWidget.id);
  }

  /** Create the start page; it requests its data once it is attached. */
  makeStart() {
    const { app, lab } = this;
    const open = (/** @type {string} */ path, /** @type {string | null | undefined} */ task) => void this.openLesson(path, task);
    const text = () => void app.commands.execute('docmanager:open', { path: lab.PageConfig.getOption('secantStart') || 'START.md' });
    const render = (/** @type {string} */ markdown, /** @type {HTMLElement} */ host) => void this.panel.render(markdown, host);
    const page = new StartPage(this.server, this.chosen, { open, text, render, ask: (/** @type {Words} */ say) => this.askAnew(say) });
    const widget = new lab.Widget({ node: page.node });
    widget.id = 'secant-start';
    widget.title.label = 'Secant';
    widget.title.icon = this.icon;
    widget.title.closable = true;
    widget.onAfterAttach = () => void page.refresh();
    widget.onActivateRequest = () => page.focus();
    widget.disposed.connect(() => page.resized.disconnect());
    this.startPage = page;
    this.startWidget = widget;
    this.restorer?.add(widget, widget.id);
  }

  /** Ask the learner whether to set the progress aside and start over.
   * @param {Words} say @returns {Promise<boolean>} */
  async askAnew(say) {
    const { Dialog, showDialog } = this.lab;
    const buttons = [Dialog.cancelButton({ label: say.anewKeep }), Dialog.warnButton({ label: say.anew })];
    return (await showDialog({ title: say.anewAsk, body: say.anewWarning, buttons, defaultButton: 0 })).button.accept;
  }

  /** Keep the start page in front until the user presses a key or the pointer.
   *
   * JupyterLab may open its launcher, or the document named in the address, after the start page.
   * @param {string} page the name of the plain start page */
  keepInFront(page) {
    const { shell } = this.app;
    const look = () =>
      setTimeout(() => {
        const fillers = [...shell.widgets('main')].filter((widget) => this.isFiller(widget, page));
        for (const filler of fillers) filler.dispose();
        if (fillers.length > 0 && this.startWidget) shell.activateById(this.startWidget.id);
      });
    shell.layoutModified?.connect(look);
    const acted = () => shell.layoutModified?.disconnect(look);
    for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, acted, { once: true, capture: true });
  }

  /** @param {string} path @param {string | null} [task] */
  async openLesson(path, task) {
    const notebook = await this.app.commands.execute('docmanager:open', { path, factory: 'Notebook' });
    if (!task || !notebook) return;
    await notebook.context.ready;
    for (let wait = 0; wait < 20 && !this.lessons.get(notebook); wait++) await new Promise((go) => setTimeout(go, 100));
    const lesson = this.lessons.get(notebook);
    if (lesson) await this.panel.goTo(lesson, task);
  }
}

/** Prevent a lesson that was only opened from being marked as changed.
 *
 * JupyterLab writes the kernel's language into a notebook when it is opened and when the kernel has started.
 * JupyterLab would then ask whether to save the notebook when the user closes it.
 * @param {Jupyter} model the notebook's model, as just read from the disk */
function stayClean(model) {
  const cells = () => JSON.stringify(model.sharedModel.toJSON().cells);
  const read = cells();
  const noted = (/** @type {Jupyter} */ _, /** @type {{key: string}} */ { key }) => {
    if (key !== 'language_info') return;
    model.metadataChanged.disconnect(noted);
    queueMicrotask(() => cells() === read && (model.dirty = false));
  };
  model.metadataChanged.connect(noted);
  model.dirty = false;
}
