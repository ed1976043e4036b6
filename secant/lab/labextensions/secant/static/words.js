/** All that the extension says, in both languages. */

/** @import { Gained, Language, Outcome } from './types.js' */

const en = {
  check: 'Check',
  checkLesson: 'Check the answers',
  checkCaption: 'Save the notebook and check your answers, hidden tests included',
  checkTask: 'Check this task',
  checkTaskOf: (/** @type {string} */ task) => `Check task ${task}`,
  folded: (/** @type {string} */ task) => `Tests of ${task} · run this cell, or press Check`,
  toPanel: 'Go to the answers, or back to the notebook',
  stop: 'Stop',
  stopping: 'Stopping…',
  saving: 'Saving…',
  checking: 'Checking…',
  elapsed: (/** @type {number} */ seconds) => `${seconds} s`,
  panel: 'Secant: your answers',
  startPage: 'Secant: start page',
  category: 'Secant',
  noLesson: 'Open a lesson to see its tasks here and to check your answers.',
  openStart: 'Start page',
  // Without a number where it is of another course.
  lesson: (/** @type {number | null} */ number, /** @type {string} */ title) => (number === null ? title : `Lesson ${number}: ${title}`),
  tasks: 'Tasks',
  total: (/** @type {string} */ points, /** @type {string} */ most) => `${points} of ${most} points`,
  best: (/** @type {string} */ points, /** @type {string} */ most) =>
    `Your best so far: ${points} of ${most} points. A later check takes none of them away.`,
  bestOf: (/** @type {string} */ points) => `best: ${points}`,
  points: (/** @type {string} */ points, /** @type {string} */ most) => `${points} / ${most}`,
  pointsName: (/** @type {string} */ points, /** @type {string} */ most) => `${points} of ${most} points`,
  checkedAt: (/** @type {string} */ time) => `Checked ${time}`,
  neverChecked: 'Not checked yet.',
  changed: 'The notebook has changed since: check again for a verdict on what is there now.',
  rowChanged: 'changed since',
  oldError: 'The error below is from the last time this cell was run.',
  visibleOnly: 'Only the visible tests are here: passing them is not yet the full mark.',
  gained: (/** @type {Gained} */ { xp, level, achievements }) =>
    [
      xp > 0 && `You gained ${xp} XP.`,
      level && `You are at level ${level.number} now: ${level.title}.`,
      achievements.length > 0 && `New achievement: ${achievements.join(', ')}.`,
    ]
      .filter(Boolean)
      .join(' '),
  outcome: /** @type {Record<Outcome | 'unchecked' | 'waiting', string>} */ ({
    passed: 'Passed',
    wrong: 'Wrong',
    not_attempted: 'Not attempted',
    crashed: 'Crashed',
    timed_out: 'Timed out',
    rejected: 'Rejected',
    manual: 'Graded by a person',
    grader_failure: 'Could not be checked',
    unchecked: 'Not checked',
    waiting: 'Checking…',
  }),
  expected: 'expected',
  got: 'got',
  cause: 'Likely cause:',
  yourLine: 'in this line:',
  goTo: (/** @type {string} */ task) => `Go to the answer of ${task}`,
  noCell: 'The answer cell of this task is not in the notebook any more. Undo the deletion (press Z outside of a cell), or copy your answers into a fresh copy of the lesson.',
  hint: (/** @type {number} */ next, /** @type {number} */ of) => `Hint ${next} of ${of}`,
  twice: 'The notebook has this answer cell more than once: the last one that holds an answer counts.',
  solution: 'Worked solution',
  stranger: {
    ask: 'Run this notebook?',
    warning:
      'Check saves this notebook and runs all of its code on your computer, with your rights. Secant did not put it here. ' +
      'Run it only if you know where it comes from.',
    run: 'Run and check',
    leave: 'Cancel',
  },
  solutionAsk: 'Look at the worked solution?',
  solutionWarning: 'You have not passed this task yet. That you looked is noted in your progress; the task can still be passed.',
  solutionShow: 'Show it',
  solutionKeep: 'Keep trying',
  solutionNoted: 'It is noted in your progress that you looked before passing.',
  verdict: (/** @type {string} */ task, /** @type {string} */ outcome) => `${task}: ${outcome}.`,
  summary: (/** @type {number} */ passed, /** @type {number} */ all, /** @type {string} */ total) =>
    `${passed} of ${all} tasks passed, ${total}.`,
  stopped: 'Stopped. What was decided before is kept.',
  unreachable: 'The server does not answer. Is it still running? Start it again (secant lab), then press Check; what you wrote stays on this page.',
  brokenOff: 'The connection ended before the last verdict. Press Check again.',
  refused: 'The server was started anew and does not know this page. Open the address that it shows in its terminal in a new tab, then press Check here; what you wrote stays on this page.',
  changedElsewhere: 'The file has been changed elsewhere, perhaps in another tab. Keep one version: File > Reload Notebook from Disk takes the file’s, File > Save Notebook As… keeps this page’s under another name. Then press Check.',
  busy: 'This notebook is being checked already, perhaps in another window. Wait a moment, or stop it there.',
  gone: 'The notebook is not where it was. Save it (File > Save Notebook As…), then press Check again.',
  serverTrouble: (/** @type {string} */ why) => `The server could not check it${why}. Press Check again; if it stays so, start the server anew.`,
  notSaved: {
    permission: 'The notebook could not be saved because its file may not be written, and only what is saved is checked. Make it writable, or choose File > Save Notebook As… What you wrote is still on this page.',
    full: 'The notebook could not be saved because the disk is full, and only what is saved is checked. Make room, then press Check again. What you wrote is still on this page: leave it open.',
    cancelled: 'The notebook was not saved, so nothing was checked.',
    other: (/** @type {string} */ why) => `The notebook could not be saved (${why}), and only what is saved is checked. What you wrote is still on this page: leave it open and press Check again.`,
    offline: 'The notebook could not be saved because the server does not answer. Start it again (secant lab), then press Check. What you wrote is still on this page: leave it open.',
  },
  widgetGone: 'The kernel that drew this has gone: run this cell again (Shift+Enter) to use it.',
  lastPicture: 'the picture as it was when the cell was run',
  chosen: (/** @type {string} */ choice) => `Your choice was ${choice}`,
  retry: 'Try again',
  // --- the start page ---
  title: 'Learn PyTorch’s autograd',
  level: (/** @type {number} */ number, /** @type {string} */ title) => `Level ${number}: ${title}`,
  xp: (/** @type {number} */ xp) => `${xp} XP`,
  xpTo: (/** @type {number} */ more) => `${more} XP to the next level`,
  xpTop: 'the highest level',
  begin: 'Begin',
  continue: 'Continue where you were',
  nextLesson: 'Next lesson',
  allDone: 'All lessons done.',
  noneHere: 'The lessons are not in this folder.',
  how: 'A lesson goes from top to bottom: Shift+Enter runs a cell and goes on to the next, into a folded test cell too. The arrow keys pass folded cells by.',
  lessons: 'Lessons',
  legend: 'An arrow leads from a lesson to one that builds on it.',
  minutes: (/** @type {number} */ minutes) => `${minutes} min`,
  state: { new: 'New', in_progress: 'In progress', done: 'Done', missing: 'Not here' },
  after: (/** @type {string} */ numbers) => `after lesson ${numbers}`,
  predictions: (/** @type {number} */ made, /** @type {number} */ of) => `${made} of ${of} predictions`,
  newVersion: (/** @type {number} */ number) => `New version of lesson ${number}`,
  achievements: 'Achievements',
  achievementsCount: (/** @type {number} */ earned, /** @type {number} */ of) => `${earned} of ${of} earned`,
  earnedOn: (/** @type {string} */ date) => `Earned ${date}`,
  notEarned: 'Not earned yet',
  kept: (/** @type {string} */ path) => `Your progress is kept on this computer alone: ${path}`,
  noProgress: {
    unreachable: 'Your progress cannot be shown just now: the server does not answer. If it has ended, start it again (secant lab).',
    refused: 'The server was started anew and does not know this page. Open the address that it shows in its terminal.',
    trouble: (/** @type {string} */ why) => `Your progress cannot be shown just now${why}.`,
  },
  openText: 'Open the lessons as a plain page',
};

/** @type {typeof en} */
const ko = {
  check: '답 확인',
  checkLesson: '답 확인하기',
  checkCaption: '노트북을 저장하고 숨은 테스트까지 돌려 답을 확인합니다',
  checkTask: '이 과제 확인',
  checkTaskOf: (task) => `과제 ${task} 확인`,
  folded: (task) => `${task} 테스트 · 이 셀을 실행하거나 ‘답 확인’을 누르세요`,
  toPanel: '답 확인 결과로 가기, 노트북으로 돌아오기',
  stop: '중지',
  stopping: '중지하는 중…',
  saving: '저장하는 중…',
  checking: '확인하는 중…',
  elapsed: (seconds) => `${seconds}초`,
  panel: 'Secant: 답 확인 결과',
  startPage: 'Secant: 시작 페이지',
  category: 'Secant',
  noLesson: '수업 노트북을 열면 과제가 여기에 나타나고, 답을 확인할 수 있습니다.',
  openStart: '시작 페이지',
  lesson: (number, title) => (number === null ? title : `${number}. ${title}`),
  tasks: '과제',
  total: (points, most) => `${most}점 만점에 ${points}점`,
  best: (points, most) => `최고 기록은 ${most}점 만점에 ${points}점입니다. 나중에 틀려도 줄지 않습니다.`,
  bestOf: (points) => `최고 ${points}`,
  points: (points, most) => `${points} / ${most}`,
  pointsName: (points, most) => `${most}점 만점에 ${points}점`,
  checkedAt: (time) => `${time}에 확인함`,
  neverChecked: '아직 확인하지 않았습니다.',
  changed: '확인한 뒤로 노트북이 바뀌었습니다. 지금 내용의 결과를 보려면 다시 확인하세요.',
  rowChanged: '이후 바뀜',
  oldError: '아래 오류는 이 셀을 지난번에 실행했을 때 나온 것입니다.',
  visibleOnly: '여기에는 보이는 테스트만 있습니다. 모두 통과해도 아직 만점은 아닙니다.',
  gained: ({ xp, level, achievements }) =>
    [
      xp > 0 && `${xp} XP를 얻었습니다.`,
      level && `레벨 ${level.number}(${level.title})이 되었습니다.`,
      achievements.length > 0 && `새로운 성취: ${achievements.join(', ')}.`,
    ]
      .filter(Boolean)
      .join(' '),
  outcome: {
    passed: '통과',
    wrong: '틀림',
    not_attempted: '풀지 않음',
    crashed: '비정상 종료',
    timed_out: '시간 초과',
    rejected: '거부됨',
    manual: '사람이 채점',
    grader_failure: '확인하지 못함',
    unchecked: '확인 전',
    waiting: '확인하는 중…',
  },
  expected: '기대한 값',
  got: '나온 값',
  cause: '짐작되는 원인:',
  yourLine: '오류가 난 줄:',
  goTo: (task) => `${task} 답 셀로 가기`,
  noCell: '이 과제의 답 셀이 노트북에 없습니다. 지웠다면 되돌리거나(Z), 수업 노트북을 새로 받아 답을 옮겨 주세요.',
  hint: (next, of) => `힌트 ${next} / ${of}`,
  twice: '이 답 셀이 노트북에 여러 개 있습니다. 답이 적힌 마지막 셀을 확인합니다.',
  solution: '모범 풀이',
  stranger: {
    ask: '이 노트북을 실행할까요?',
    warning:
      '답을 확인하면 노트북을 저장하고 그 안의 코드를 모두 이 컴퓨터에서 여러분의 권한으로 실행합니다. Secant가 넣어 둔 노트북이 ' +
      '아니므로, 어디에서 온 파일인지 알 때만 실행하세요.',
    run: '실행하고 확인',
    leave: '취소',
  },
  solutionAsk: '모범 풀이를 볼까요?',
  solutionWarning: '아직 통과하지 못한 과제입니다. 풀이를 보면 진도에 기록됩니다. 본 뒤에도 과제를 통과할 수 있습니다.',
  solutionShow: '풀이 보기',
  solutionKeep: '더 풀어 보기',
  solutionNoted: '통과하기 전에 풀이를 보았다고 진도에 기록했습니다.',
  verdict: (task, outcome) => `${task}: ${outcome}.`,
  summary: (passed, all, total) => `과제 ${all}개 가운데 ${passed}개 통과, ${total}.`,
  stopped: '중지했습니다. 그전에 나온 결과는 그대로 있습니다.',
  unreachable: '서버가 응답하지 않습니다. 서버가 꺼졌다면 다시 실행한 뒤(secant lab) 답 확인을 눌러 주세요. 작성한 내용은 이 페이지에 남아 있습니다.',
  brokenOff: '결과가 다 나오기 전에 연결이 끊겼습니다. 답 확인을 다시 눌러 주세요.',
  refused: '서버가 다시 시작되어 이 페이지를 알아보지 못합니다. 터미널에 나온 주소를 새 탭에서 연 뒤 여기에서 답 확인을 다시 눌러 주세요. 작성한 내용은 이 페이지에 남아 있습니다.',
  changedElsewhere: '다른 탭 등에서 파일이 바뀌었습니다. 파일의 내용을 쓰려면 File > Reload Notebook from Disk를, 이 페이지의 내용을 남기려면 File > Save Notebook As…로 다른 이름을 골라 저장한 뒤 답 확인을 눌러 주세요.',
  busy: '이 노트북은 이미 확인하고 있습니다. 다른 창에서 확인 중인지 살펴보고, 잠시 기다리거나 그 창에서 중지해 주세요.',
  gone: '노트북 파일이 원래 자리에 없습니다. 다른 이름으로 저장한 뒤(File > Save Notebook As…) 다시 확인해 주세요.',
  serverTrouble: (why) => `서버가 답을 확인하지 못했습니다${why}. 답 확인을 다시 누르고, 계속되면 서버를 다시 시작해 주세요.`,
  notSaved: {
    permission: '파일에 쓰기 권한이 없어 노트북을 저장하지 못했습니다. 저장된 내용만 확인하므로, 쓰기 권한을 주거나 File > Save Notebook As…로 다른 곳에 저장해 주세요. 작성한 내용은 이 페이지에 남아 있습니다.',
    full: '디스크가 가득 차서 노트북을 저장하지 못했습니다. 저장된 내용만 확인하므로, 공간을 비운 뒤 답 확인을 다시 눌러 주세요. 작성한 내용은 이 페이지에 남아 있으니 닫지 마세요.',
    cancelled: '노트북을 저장하지 않아 아무것도 확인하지 않았습니다.',
    other: (why) => `노트북을 저장하지 못했습니다(${why}). 저장된 내용만 확인합니다. 작성한 내용은 이 페이지에 남아 있으니 닫지 말고 답 확인을 다시 눌러 주세요.`,
    offline: '서버가 응답하지 않아 노트북을 저장하지 못했습니다. 서버를 다시 실행한 뒤(secant lab) 답 확인을 눌러 주세요. 작성한 내용은 이 페이지에 남아 있으니 닫지 마세요.',
  },
  widgetGone: '커널이 종료되어 지금은 쓸 수 없습니다. 이 셀을 다시 실행하면(Shift+Enter) 이어서 쓸 수 있습니다.',
  lastPicture: '셀을 실행했을 때의 그림',
  chosen: (choice) => `고른 답: ${choice}`,
  retry: '다시 시도',
  title: 'PyTorch autograd 배우기',
  level: (number, title) => `레벨 ${number}: ${title}`,
  xp: (xp) => `${xp} XP`,
  xpTo: (more) => `다음 레벨까지 ${more} XP`,
  xpTop: '가장 높은 레벨입니다',
  begin: '시작하기',
  continue: '이어서 하기',
  nextLesson: '다음 수업',
  allDone: '모든 수업을 마쳤습니다.',
  noneHere: '이 폴더에는 수업 노트북이 없습니다.',
  how: '수업은 위에서 아래로 진행합니다. Shift+Enter를 누르면 셀이 실행되고 다음 셀로 넘어갑니다. 접힌 테스트 셀에도 이렇게 갑니다. 화살표 키는 접힌 셀을 건너뜁니다.',
  lessons: '수업',
  legend: '화살표는 먼저 듣는 수업에서 그다음 수업으로 이어집니다.',
  minutes: (minutes) => `${minutes}분`,
  state: { new: '시작 전', in_progress: '진행 중', done: '완료', missing: '파일 없음' },
  after: (numbers) => `수업 ${numbers} 다음`,
  predictions: (made, of) => `예상 ${of}개 중 ${made}개`,
  newVersion: (number) => `${number}번 수업의 새 버전`,
  achievements: '성취',
  achievementsCount: (earned, of) => `${of}개 중 ${earned}개 달성`,
  earnedOn: (date) => `${date} 달성`,
  notEarned: '아직 달성하지 않음',
  kept: (path) => `진도는 이 컴퓨터에만 저장됩니다: ${path}`,
  noProgress: {
    unreachable: '서버가 응답하지 않아 지금은 진도를 보여 줄 수 없습니다. 서버가 꺼졌다면 다시 실행해 주세요(secant lab).',
    refused: '서버가 다시 시작되어 이 페이지를 알아보지 못합니다. 터미널에 나온 주소를 열어 주세요.',
    trouble: (why) => `지금은 진도를 보여 줄 수 없습니다${why}.`,
  },
  openText: '수업 목록을 글로 열기',
};

/** @typedef {typeof en} Words */

const all = { en, ko };

/** @param {string} language @returns {Words} */
export function words(language) {
  return language === 'ko' ? all.ko : all.en;
}

/** Points as a person writes them: 2, 1.5.
 * @param {number} value */
export function figure(value) {
  return String(Math.round(value * 100) / 100);
}

/** A time of today as hours and minutes, another with its day.
 * @param {Date} time
 * @param {Language} language
 */
export function moment(time, language) {
  const today = time.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(language, today ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' }).format(time);
}

/** @param {string} iso @param {Language} language */
export function day(iso, language) {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(iso));
}
