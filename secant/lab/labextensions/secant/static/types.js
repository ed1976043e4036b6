/** Types of the data that the server sends, as `autograder.service` defines them.
 *
 * @typedef {'passed' | 'wrong' | 'not_attempted' | 'crashed' | 'timed_out' | 'rejected' | 'manual' | 'grader_failure'} Outcome
 * @typedef {{kind: 'credit' | 'head' | 'call' | 'text' | 'expected' | 'got' | 'trace' | 'place' | 'code' | 'cause' | 'note' | 'plain', text: string}} Part
 * @typedef {{id: string, points: number, max_points: number, outcome: Outcome, message: string, seconds: number,
 *   parts: Part[], hints: number}} Row
 * @typedef {{id: string, title: string, max_points: number, manual: boolean, hints: number,
 *   shown: {title: string, text: string}[], best: number, report: string,
 *   about: string}} Task
 * @typedef {{rows: (Row & {changed: boolean})[], score: number, max_score: number, hidden: boolean, when: string}} Last
 * @typedef {{lesson: string, number: number | null, language: Language, title: string, hidden: boolean, tasks: Task[],
 *   report: string, about: string, last: Last | null, agreed: boolean}} LessonInfo
 * @typedef {{event: 'waits'}
 *   | {event: 'begin', lesson: string, language: Language, hidden: boolean, tasks: string[]}
 *   | {event: 'task', task: Row}
 *   | ({event: 'end', score: number, max_score: number, seconds: number} & Noted)
 *   | ({event: 'stopped'} & Partial<Noted>) | ({event: 'error', message: string} & Partial<Noted>)} CheckEvent
 * @typedef {{plain: true, name: string, agreed: boolean}} PlainInfo a notebook with ordinary nbgrader tests
 * @typedef {{kind: 'test', id: string, points: number | null, max_points: number,
 *   outcome: 'no_error' | 'partial' | 'failed' | 'timed_out' | 'crashed' | 'manual', said: string, error: string,
 *   message: string, output: string, seconds: number} | {kind: 'manual', id: string, max_points: number}} PlainRow
 * @typedef {{said: string, left_out: string,
 *   stopped: {label: string, line: number | null, error: string, message: string}[]}} PlainEnd
 * @typedef {PlainEnd & {rows: PlainRow[]}} PlainResult
 * @typedef {{event: 'waits'} | {event: 'begin', plain: true} | {event: 'task', task: PlainRow}
 *   | ({event: 'end'} & PlainEnd) | {event: 'stopped'} | {event: 'error', message: string}} PlainEvent
 * @typedef {{gained: Gained, problem: string | null}} Noted fields of an event after at least one verdict
 * @typedef {{xp: number, level: null | {number: number, title: string}, achievements: {title: string, how: string}[]}} Gained
 * @typedef {{title: string, text: string, number: number, of: number}} Hint
 * @typedef {{code: string, words: string, noted: boolean}} Solution
 * @typedef {{id: string, title: string, how: string, earned: string | null}} Achievement
 * @typedef {{number: number, title: string, xp: number, from: number, to: number | null}} Level
 * @typedef {{folder: string, number: number, title: string, minutes: number, tags: string[], prerequisites: number[],
 *   path: string | null, state: 'new' | 'in_progress' | 'done' | 'missing', beside: string | null, points: number,
 *   max_points: number, passed: number, graded: number, predictions: {made: number, of: number}}} LessonState
 * @typedef {{language: Language, hidden: boolean, level: Level,
 *   continue: null | {path: string, lesson: string, number: number, title: string, task: string | null,
 *     task_title: string | null},
 *   lessons: LessonState[], achievements: Achievement[], saved: {path: string, problem: string | null}, report: string,
 *   review: Review | null, reviewing: boolean, elsewhere: boolean}} Overview
 * @typedef {{name: string, number: number, text: string, choices: Record<string, string>, right: string,
 *   replies: Record<string, string>, days: number}} Review
 * @typedef {'en' | 'ko'} Language
 *
 * A class or object of JupyterLab's. Its real type would need JupyterLab's packages.
 * @typedef {any} Jupyter
 */
export {};
