/** A client for the server's endpoints below `secant/api/`, with Jupyter's authentication and XSRF protection. */

/** @import { CheckEvent, Hint, Jupyter, LessonInfo, Overview, PlainEvent, PlainInfo, Solution } from './types.js' */

/** An error for a request that the server refused, with the server's message if there is one. */
export class Refused extends Error {
  /**
   * @param {number} status the HTTP status
   * @param {string} message a sentence for the learner, or ''
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Return whether the server did not recognise the user, for example because it was restarted.
 * @param {number | undefined} status the HTTP status */
export function isStranger(status) {
  return status === 401 || status === 403;
}

/** Return whether the server's answer describes a notebook with ordinary nbgrader tests.
 * @param {LessonInfo | PlainInfo} info @returns {info is PlainInfo} */
export function isPlain(info) {
  return 'plain' in info;
}

/** An error for a server that did not answer, or whose answer broke off. */
export class Unreachable extends Error {}

export class Server {
  /**
   * @param {Jupyter} lab
   * @param {Jupyter} settings JupyterLab's settings for its server
   */
  constructor(lab, settings) {
    this.lab = lab;
    this.settings = settings;
  }

  /** @param {string} path the notebook's path @returns {Promise<LessonInfo | PlainInfo>} */
  lesson(path) {
    return this.get('lesson', { path });
  }

  /** @param {string} path @param {string} task @param {number} number @returns {Promise<Hint>} */
  hint(path, task, number) {
    return this.get('hint', { path, task, number: String(number) });
  }

  /** @param {string} path @param {string} task @returns {Promise<Solution>} */
  async solution(path, task) {
    return (await this.post('solution', { path, task })).json();
  }

  /** @param {string} path @returns {Promise<{stopped: boolean}>} */
  async stop(path) {
    return (await this.post('stop', { path })).json();
  }

  /** @param {string} language the language, or '' for the server's own @returns {Promise<Overview>} */
  progress(language) {
    return this.get('progress', language ? { lang: language } : {});
  }

  /** @param {{name: string, right: boolean} | {wanted: boolean}} said */
  async review(said) {
    await this.post('review', said);
  }

  /** Return what `secant doctor` finds on the server's computer. @param {string} language @returns {Promise<{facts: string}>} */
  facts(language) {
    return this.get('facts', { lang: language });
  }

  /** Set the learner's progress aside and start over. @returns {Promise<{aside: string | null}>} the old progress's file */
  async anew() {
    return (await this.post('anew', {})).json();
  }

  /**
   * Check a saved notebook, and yield the server's events as they arrive.
   * @param {string} path
   * @param {string | null} task the only task to check, or null for all
   * @param {boolean} agree whether the learner has agreed to run this notebook
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<CheckEvent>}
   */
  check(path, task, agree, signal) {
    return this.events({ path, task, agree }, signal);
  }

  /** Run the visible tests of a saved notebook with ordinary nbgrader tests, and yield the server's events.
   * @param {string} path
   * @param {string} language the language of the server's sentences
   * @param {boolean} agree whether the learner has agreed to run this notebook
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<PlainEvent>}
   */
  runTests(path, language, agree, signal) {
    return this.events({ path, agree, lang: language, plain: true }, signal);
  }

  /** @param {object} order @param {AbortSignal} signal @returns {AsyncGenerator<any>} */
  async *events(order, signal) {
    const response = await this.post('check', order, signal);
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      let chunk;
      try {
        chunk = await reader.read();
      } catch (error) {
        if (signal.aborted) throw error;
        throw new Unreachable();
      }
      text += decoder.decode(chunk.value, { stream: !chunk.done });
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line.trim()) yield JSON.parse(line);
      if (chunk.done) return;
    }
  }

  /** @param {string} name @param {Record<string, string>} query */
  async get(name, query) {
    return (await this.ask(`${name}?${new URLSearchParams(query)}`, { method: 'GET' })).json();
  }

  /** @param {string} name @param {object} body @param {AbortSignal} [signal] */
  post(name, body, signal) {
    return this.ask(name, { method: 'POST', body: JSON.stringify(body), signal });
  }

  /** @param {string} name @param {RequestInit} request @returns {Promise<Response>} */
  async ask(name, request) {
    const address = `${this.settings.baseUrl}secant/api/${name}`;
    let response;
    try {
      response = await this.lab.ServerConnection.makeRequest(address, request, this.settings);
    } catch (error) {
      if (request.signal?.aborted) throw error;
      throw new Unreachable();
    }
    if (response.ok) return response;
    const said = await response.json().catch(() => ({}));
    throw new Refused(response.status, typeof said.message === 'string' ? said.message : '');
  }
}
