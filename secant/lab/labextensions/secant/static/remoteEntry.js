// A module-federation container written by hand, so that neither Node nor a build is needed: JupyterLab and
// Notebook 7 load it as they load any prebuilt extension. The rest are ES modules beside this file.
(() => {
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  // Asked for at once, so that it is here when JupyterLab's own code has loaded.
  const ours = import(new URL('plugin.js', script.src).href);
  ours.catch(() => {}); // is told below
  /** @type {Record<string, Record<string, {get: () => Promise<() => any>, loaded?: 1 | boolean}>>} */
  let shared = {};

  /** A package of the page's; the one in use, where other extensions bring their own version of it.
   * @param {string} name */
  const use = async (name) => {
    const versions = Object.values(shared[name] ?? {});
    const chosen = versions.find((version) => version.loaded) ?? versions[0];
    return chosen && (await chosen.get())();
  };

  /** @type {Record<string, () => Promise<unknown>>} */
  const modules = {
    './extension': async () => {
      const names = ['application', 'apputils', 'coreutils', 'launcher', 'notebook', 'rendermime', 'services', 'ui-components'];
      const [{ plugin }, widgets, ...packages] = await Promise.all([
        ours,
        use('@lumino/widgets'),
        ...names.map((name) => use(`@jupyterlab/${name}`)),
      ]);
      return { __esModule: true, default: plugin(Object.assign({}, widgets, ...packages.filter(Boolean))) };
    },
    './style': async () => {
      const link = document.createElement('link');
      link.rel = 'stylesheet';
      link.href = new URL('style.css', script.src).href;
      document.head.append(link);
      return {}; // JupyterLab writes into what it gets
    },
  };

  const containers = /** @type {any} */ (window)._JUPYTERLAB ??= {};
  containers.secant = {
    /** @param {typeof shared} scope */
    init: (scope) => {
      shared = scope;
    },
    /** @param {string} name */
    get: async (name) => {
      const module = await modules[name]();
      return () => module;
    },
  };
})();
