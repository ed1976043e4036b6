"""The wording of a report in English and Korean.

In a string with `|`, the part before `|` is for a count of one, and the part after it for all other counts.
"""

from collections.abc import Mapping

from secant.language import LANGUAGES, Language

_WORDS: Mapping[str, tuple[str, str]] = {
    # Strings for both pages, the report on a lesson and the report on all lessons
    "report": ("Report: {title}", "보고서: {title}"),
    "whole": ("All lessons", "전체 수업"),
    "made": ("From the gradebook of {when}", "{when}의 성적부 기준"),
    "anonymous": (
        "Names are replaced by pseudonyms. A student has the same pseudonym in every report of this course.",
        "이름을 가명으로 바꾸었습니다. 한 학생의 가명은 이 강의의 모든 보고서에서 같습니다.",
    ),
    "contents": ("Contents", "차례"),
    "student": ("Student", "학생"),
    "n_students": ("1 student|{n} students", "{n}명"),
    "n_more": ("and 1 more|and {n} more", "외 {n}명"),
    "nobody": ("Nobody", "없음"),
    "points": ("Points", "점수"),
    "task": ("Task", "과제"),
    "lesson": ("Lesson", "수업"),
    "empty": (
        "Nothing has been graded yet. Grade what was handed in (`autograder grade`), then make the report "
        "again.",
        "아직 채점한 제출물이 없습니다. 먼저 채점한 뒤(`autograder grade`) 보고서를 다시 만드세요.",
    ),
    "axis_percent": ("percent of the points", "받은 점수(%)"),
    "axis_percent_short": ("percent", "%"),
    "axis_students": ("students", "학생 수"),
    "axis_lesson": ("lesson", "수업"),
    # Strings for the section "For the next lecture"
    "lecture": ("For the next lecture", "다음 강의에서 할 말"),
    "say_hardest": (
        "Begin with {task}: of the {of} who tried it, {n} passed.",
        "이 과제부터 다루세요: {task}. 답을 낸 {of}명 중 {n}명이 통과했습니다.",
    ),
    "say_all_passed": (
        "The tasks need no second explanation: everybody who tried one passed it.",
        "과제를 다시 설명할 필요는 없습니다. 답을 낸 학생은 모두 통과했습니다.",
    ),
    "say_mistake": (
        "Explain the most common mistake, made by 1 student: {mistake}.|"
        "Explain the most common mistake, made by {n} students: {mistake}.",
        "가장 흔한 실수를 설명하세요. {n}명이 이 힌트를 받았습니다: {mistake}.",
    ),
    "say_unnamed": (
        "1 answer failed, and no recorded hint fits: read it before the lecture.|"
        "{n} answers failed, and no recorded hint fits: read some of them before the lecture.",
        "답 {n}개가 틀렸는데 맞는 힌트가 없습니다. 강의 전에 몇 개를 읽어 보세요.",
    ),
    "say_no_mistake": (
        "No wrong answer needs explaining. Ask instead who solved a task in another way.",
        "설명할 오답이 없습니다. 대신 다른 방법으로 푼 학생이 있는지 물어보세요.",
    ),
    "say_hidden": (
        "Have students test special cases themselves: 1 answer passed the visible test and failed the "
        "hidden one, in {task}.|"
        "Have students test special cases themselves: {n} answers passed the visible test and failed the "
        "hidden one, most of them in {task}.",
        "특수한 경우를 직접 시험해 보게 하세요. 답 {n}개가 보이는 테스트는 통과했지만 숨은 테스트에서 "
        "틀렸습니다. {task}에서 가장 많았습니다.",
    ),
    "say_left": (
        "Show how to start {task}: {n} of {of} did not attempt it.",
        "어떻게 시작하는지 보여 주세요: {task}. {of}명 중 {n}명이 풀지 않았습니다.",
    ),
    "say_absent": (
        "Announce how long the lesson can still be handed in: 1 student has not handed it in.|"
        "Announce how long the lesson can still be handed in: {n} students have not handed it in.",
        "언제까지 제출할 수 있는지 알려 주세요. {n}명이 제출하지 않았습니다.",
    ),
    "say_best": (
        "Build on {task}: of the {of} who tried it, {n} passed.",
        "이 과제를 발판으로 삼으세요: {task}. 답을 낸 {of}명 중 {n}명이 통과했습니다.",
    ),
    # Strings for the section "At a glance"
    "glance": ("At a glance", "한눈에 보기"),
    "handed_in": ("Handed in", "제출"),
    "of_all": ("{n} of {of}", "{of}명 중 {n}명"),
    "graded": ("Graded", "채점"),
    "mean": ("Mean", "평균"),
    "median": ("Median", "중앙값"),
    "distribution": ("Distribution of the points", "점수 분포"),
    "distribution_note": (
        "Students by percent of the points graded so far. Each bar covers ten percent; 100% is in the last "
        "one. Late penalties and answers that wait for a person are not included.",
        "지금까지 채점한 점수의 백분율에 따른 학생 수입니다. 막대 하나가 10%이고 100%는 마지막 막대에 "
        "들어갑니다. 사람의 채점을 기다리는 답과 늦은 제출 감점은 넣지 않았습니다.",
    ),
    "bin": ("{low}–{high}%: {n}", "{low}–{high}%: {n}명"),
    # Strings for the section "Since the last report"
    "changes": ("Since the last report", "지난 보고서 이후"),
    "since": ("Compared with the report of {when}.", "{when} 보고서와 비교했습니다."),
    "no_change": ("Nothing has changed since.", "바뀐 것이 없습니다."),
    "first": (
        "This is the first report of this lesson. The next one will show here what has changed.",
        "이 수업의 첫 보고서입니다. 다음 보고서부터 바뀐 것을 여기에 적습니다.",
    ),
    "more_handed": (
        "1 more student has handed in.|{n} more students have handed in.",
        "제출한 학생이 {n}명 늘었습니다.",
    ),
    "fewer_handed": (
        "1 student fewer than before has handed in.|{n} students fewer than before have handed in.",
        "제출한 학생이 {n}명 줄었습니다.",
    ),
    "mean_moved": ("The mean went from {before} to {after}.", "평균이 {before}에서 {after}로 바뀌었습니다."),
    "better": ("Higher score than before", "점수가 오른 학생"),
    "worse": ("Lower score than before", "점수가 내린 학생"),
    "passed_moved": (
        "{task}: passed by {after} (before: {before}).",
        "{task}: 통과 {before}명 → {after}명.",
    ),
    "mistake_moved": (
        "{mistake}: made by {after} (before: {before}).",
        "{mistake}: 이렇게 틀린 학생 {before}명 → {after}명.",
    ),
    # Strings for the section "Tasks"
    "tasks": ("Tasks", "과제"),
    "tasks_note": (
        "Students who passed a task (left), failed it (middle) or did not attempt it (right). Answers that "
        "wait for a person are not counted.",
        "과제를 통과한 학생(왼쪽), 틀린 학생(가운데), 풀지 않은 학생(오른쪽)의 수입니다. 사람의 채점을 "
        "기다리는 답은 세지 않았습니다.",
    ),
    "bar": (
        "{task}: {passed} passed, {failed} failed, {left} did not attempt it",
        "{task}: 통과 {passed}명, 틀림 {failed}명, 풀지 않음 {left}명",
    ),
    "passed": ("Passed, of those who tried", "답을 낸 학생 중 통과"),
    "left": ("Not attempted", "풀지 않음"),
    "failed_visible": ("Failed the visible test", "보이는 테스트에서 틀림"),
    "failed_hidden": ("Failed only the hidden test", "숨은 테스트에서만 틀림"),
    "waits": ("Waiting for a person", "사람의 채점을 기다림"),
    "difficulty": ("Difficulty", "난이도"),
    "discrimination": ("Discrimination", "변별도"),
    "difficulty_note": (
        "Difficulty is the average share of a task's points among those who tried it, from 0 (nobody "
        "solved it) to 1 (everybody did): the higher the number, the easier the task.",
        "난이도는 답을 낸 학생이 과제 점수 가운데 평균적으로 받은 비율입니다. 0이면 아무도, 1이면 모두 "
        "맞혔다는 뜻이므로 값이 클수록 쉬운 과제입니다.",
    ),
    "discrimination_note": (
        "Discrimination is the correlation between the points of this task and those of all other tasks, "
        "among those who tried it. It says how well the task tells strong students from weak ones: good "
        "from 0.4, fair from 0.2, poor below. If it is reversed (below −0.1), strong students fail the "
        "task more often than weak ones: check its text and its tests. There is no number (–) if fewer "
        "than {enough} students tried the task or all of them have the same points.",
        "변별도는 답을 낸 학생들에게서 이 과제의 점수와 나머지 과제의 점수 사이의 상관계수입니다. 잘하는 "
        "학생과 어려워하는 학생을 얼마나 잘 구별하는지를 나타냅니다. 0.4 이상이면 좋음, 0.2 이상이면 보통, "
        "그보다 작으면 낮음입니다. −0.1보다 작으면(거꾸로) 잘하는 학생이 오히려 더 많이 틀린 것이므로 "
        "과제의 설명과 테스트를 살펴보세요. 답을 낸 학생이 {enough}명보다 적거나 점수가 모두 같으면 값이 "
        "없습니다(–).",
    ),
    "tells_well": ("good", "좋음"),
    "tells_some": ("fair", "보통"),
    "tells_hardly": ("poor", "낮음"),
    "tells_wrong": ("reversed", "거꾸로"),
    # Strings for the section "Misconceptions"
    "mistakes": ("Misconceptions", "자주 하는 실수"),
    "mistakes_note": (
        "A misconception is what the test's hint says, and … stands for a value that differs between "
        "answers. The same mistake counts once whichever language a student worked in. The numbers are "
        "students.",
        "제목은 테스트가 준 힌트이고, …는 답마다 다른 값입니다. 어느 언어로 풀었든 같은 실수는 한 가지로 "
        "셉니다. 수는 학생 수입니다.",
    ),
    "unknown_hint": (
        "a mistake whose hint ({name}) is no longer in the lesson",
        "지금은 수업에 없는 힌트({name})를 받은 실수",
    ),
    "no_mistakes": ("Nobody ran into a recorded misconception.", "기록해 둔 실수를 한 학생이 없습니다."),
    "in_tasks": (
        "Failed in the visible test: {visible}; only in the hidden test: {hidden}. {tasks}",
        "보이는 테스트에서 틀림 {visible}, 숨은 테스트에서만 틀림 {hidden}. {tasks}",
    ),
    "example": ("From an answer of {student}", "{student}의 답에서"),
    "example_alike": (
        "From an answer of {student}; 1 other is like it|From an answer of {student}; {n} others are like it",
        "{student}의 답에서(같은 답 {n}개 더 있음)",
    ),
    "rarer": ("1 less common misconception|{n} less common misconceptions", "그 밖의 실수 {n}가지"),
    "unnamed": ("Failed without a recorded hint", "힌트가 기록되지 않은 오답"),
    # Strings for the section "Who needs help now"
    "help": ("Who needs help now", "지금 도움이 필요한 학생"),
    "help_note": (
        "Students with less than half of the points graded so far, the lowest first.",
        "지금까지 채점한 점수의 절반을 받지 못한 학생입니다. 점수가 낮은 학생이 먼저 나옵니다.",
    ),
    "failed_at": ("Failed, with the test's hint", "틀린 과제와 테스트가 준 힌트"),
    "left_out": ("Not attempted", "풀지 않은 과제"),
    "everybody_fine": ("Everybody has at least half of the points.", "모두 절반 이상의 점수를 받았습니다."),
    # Strings for the section "What is left to do"
    "open": ("What is left to do", "남은 일"),
    "absent": ("Handed in nothing", "제출하지 않음"),
    "notes": ("Answers waiting for a person", "사람의 채점을 기다림"),
    "n_answers": ("1 answer|{n} answers", "답 {n}개"),
    "unread": ("Could not be read", "파일을 읽을 수 없음"),
    "ungraded": ("Handed in, not graded yet", "제출했으나 아직 채점하지 않음"),
    "several": ("Several notebooks with different answers", "답이 다른 노트북을 여러 개 제출함"),
    "nothing_open": (
        "Nothing: everybody has handed in, and everything is graded.",
        "없습니다. 모두 제출했고 채점이 끝났습니다.",
    ),
    # Strings for the section "Very similar answers"
    "copies": ("Very similar answers", "매우 비슷한 답"),
    "copies_note": (
        "Everything that the course says (stubs, hints, tests, examples, solutions) and everything that "
        "many in the class wrote is left out. The share tells how much of the rest two students have in "
        "common; names of variables and comments do not matter. It is not proof and not a score: they may "
        "have worked together, used the same source, or the task may be small. Read both answers, and ask.",
        "강의 자료에 있는 것(처음 코드, 힌트, 테스트, 예제, 풀이)과 여러 학생이 똑같이 쓴 것은 뺍니다. "
        "비율은 나머지 가운데 두 학생에게 공통인 부분입니다. 변수 이름과 주석의 차이는 무시합니다. 증거도 "
        "점수도 아닙니다. 같이 공부했거나 같은 자료를 보았거나 과제가 짧아서일 수도 있습니다. 두 답을 직접 "
        "읽고 학생에게 물어보세요.",
    ),
    "no_copies": ("No two students have that much in common.", "눈에 띄게 비슷한 답이 없습니다."),
    "pair": ("{first} and {second}", "{first}, {second}"),
    "share": (
        "{share} of what the course does not explain is the same; in {tasks}",
        "강의 자료로 설명되지 않는 부분의 {share}가 같음. {tasks}",
    ),
    "sizes": (
        "{same} shared runs of {length} tokens, out of {first} and {second}",
        "토큰 {length}개짜리 구간 {same}개가 같음(각각 {first}개와 {second}개 중)",
    ),
    "both": ("Both answers to {task}", "{task}의 두 답"),
    "more_pairs": (
        "1 more pair is not shown.|{n} more pairs are not shown.",
        "보여 주지 않은 쌍이 {n}개 더 있습니다.",
    ),
    "not_shown": (
        "Prose is not shown in an anonymous report.",
        "서술형 답은 가명 보고서에서 보여 주지 않습니다.",
    ),
    # Strings for the report on all lessons
    "lessons": ("Lessons", "수업"),
    "lessons_note": (
        "Bars: percent of the class that handed in. Numbered lines: average percent of the points.",
        "막대는 제출한 학생의 백분율, 숫자가 적힌 선은 점수의 평균(%)입니다.",
    ),
    "lesson_bar": ("{lesson}: {handed} handed in, mean {mean}", "{lesson}: 제출 {handed}, 평균 {mean}"),
    "drifting": ("Who is drifting off", "수업에서 멀어지는 학생"),
    "drifting_note": (
        "Students who handed in something before, but not the latest lessons that at least half of the "
        "active students handed in; and students whose latest lesson is at least {fall} of the points "
        "below their earlier ones, both compared with the class average.",
        "전에는 제출했지만, 활동하는 학생의 절반 이상이 제출한 최근 수업을 내지 않은 학생입니다. 또는 학급 "
        "평균과 비교한 점수가 최근 수업에서 이전보다 {fall} 이상 낮아진 학생입니다.",
    ),
    "nobody_drifts": ("Nobody.", "없습니다."),
    "missing": ("Not handed in", "제출하지 않은 수업"),
    "n_lessons": ("1 lesson, from {lesson} on|{n} lessons, from {lesson} on", "{lesson}부터 {n}개"),
    "last": ("Last handed in", "마지막 제출"),
    "fall": ("Drop", "하락"),
    "never": ("Handed in nothing so far", "아직 한 번도 제출하지 않음"),
}

Words = Mapping[str, str]


def words(language: Language) -> Words:
    """Return the wording of a report in one language."""
    return {name: pair[LANGUAGES.index(language)] for name, pair in _WORDS.items()}


def fill(text: str, n: int | None = None, **more: object) -> str:
    """Substitute values into a string; if it has a singular and a plural form, choose the form for `n`."""
    one, bar, many = text.partition("|")
    return (one if n == 1 or not bar else many).format(n=n, **more)


def percent(share: float | None) -> str:
    """Return a fraction as a percentage, or a dash if the fraction is None."""
    return "–" if share is None else f"{100 * share:.0f}%"
