"""The English and Korean wording of a feedback page, except for the lesson's own text."""

from collections.abc import Mapping

from secant.language import LANGUAGES, Language

_WORDS: Mapping[str, tuple[str, str]] = {
    "feedback": ("Feedback", "채점 결과"),
    "of": ("{score} of {most} points", "{most}점 중 {score}점"),
    "counted": (
        "You handed in several notebooks. This one was graded:",
        "노트북을 여러 개 제출했습니다. 채점한 파일:",
    ),
    "unread": (
        "No points yet, out of {most}: a person has to look at your file",
        "{most}점 중 아직 받은 점수 없음: 사람의 채점을 기다립니다",
    ),
    "before": (
        "Your earlier file had {score} of {most} points. Those points do not count for this file.",
        "이전에 제출한 파일은 {most}점 중 {score}점이었습니다. 이번 파일의 점수로는 계산하지 않습니다.",
    ),
    "late": ("Points taken off for late submission: {points}", "늦은 제출로 뺀 점수: {points}점"),
    "times": ("Handed in {times[0]}. Due {times[1]}.", "제출 {times[0]}. 마감 {times[1]}."),
    "extra": ("Extra credit included: {points}", "포함된 가산점: {points}점"),
    "waits": (
        "Points still to be graded by a person: up to {points}. Your score may change.",
        "사람의 채점을 기다리는 점수: 최대 {points}점. 점수가 바뀔 수 있습니다.",
    ),
    "tasks": ("Tasks", "과제"),
    "points": ("{score} / {most} points", "{score} / {most}점"),
    "none": ("– / {most} points", "– / {most}점"),
    "with_extra": ("including {points} extra credit", "가산점 {points}점 포함"),
    "comment": ("Comment", "의견"),
    "why": ("Why this is right", "이 답이 맞는 이유"),
    "solution": ("Worked solution", "모범 풀이"),
    "tests": ("Tests of this task", "이 과제의 테스트"),
    "verdict": ("Verdict", "결과"),
    "answer": ("Your answer", "제출한 답"),
    "back": ("Back to the tasks", "과제 목록으로"),
    "output": ("Output", "출력"),
    "notebook": ("Your notebook", "제출한 노트북"),
    "rejected_title": ("Your file could not be read", "파일을 읽을 수 없었습니다"),
    "rejected_next": (
        "No part of it was graded. If you think that this is a mistake, ask your instructor.",
        "채점한 내용이 없습니다. 잘못된 결과라고 생각하면 강사에게 문의하세요.",
    ),
    "bare": (
        "The page could not be made with the contents of your cells. Your file is unchanged.",
        "셀의 내용으로는 페이지를 만들 수 없었습니다. 제출한 파일은 그대로 있습니다.",
    ),
    "picture": ("Picture {number}", "그림 {number}"),
    "first_frame": ("Only the first frame of an animation is shown.", "움직이는 그림은 첫 장면만 보입니다."),
    "cut": (
        "The rest of this text is too long to be shown. The submitted file has all of it.",
        "이 글의 나머지는 너무 길어서 표시하지 않습니다. 제출한 파일에는 모두 있습니다.",
    ),
    "missing": ("The picture {name} is not shown: {reason}", "그림 {name}: 표시하지 못했습니다. {reason}"),
    "not_there": ("it is not in what was handed in.", "제출한 것에 들어 있지 않습니다."),
    "elsewhere": (
        "it lies on another site, and nothing is loaded from there.",
        "다른 사이트에 있는 그림은 불러오지 않습니다.",
    ),
    "not_a_picture": (
        "it is damaged, or of another kind than PNG, JPEG, GIF and WebP.",
        "파일이 손상되었거나 PNG, JPEG, GIF, WebP가 아닌 형식입니다.",
    ),
    "too_many": ("only the first {most} pictures are shown.", "처음 {most}개까지만 표시합니다."),
    "too_large": ("it is too large.", "그림이 너무 큽니다."),
    "not_decoded": ("decoding it took too long or failed.", "읽는 데 너무 오래 걸리거나 실패했습니다."),
    "passed": ("Passed", "통과"),
    "wrong": ("Wrong", "틀림"),
    "not_attempted": ("Not attempted", "풀지 않음"),
    "crashed": ("Crashed", "비정상 종료"),
    "timed_out": ("Took too long", "시간 초과"),
    "rejected": ("Not graded", "채점하지 못함"),
    "grader_failure": ("Could not be checked", "확인하지 못함"),
    "manual": ("Graded by a person", "사람이 채점함"),
    "waiting": ("Waiting for a person", "사람의 채점을 기다림"),
}

Words = Mapping[str, str]


def words(language: Language) -> Words:
    """Return the wording of a feedback page in one language."""
    return {name: pair[LANGUAGES.index(language)] for name, pair in _WORDS.items()}
