"""Tests of the search for pairs of answers that are more alike than the course's own code explains."""

from collections.abc import Mapping

import pytest

from autograder.report.copies import MIN_SHARED, SEQUENCE_TOKENS, Pair, pairs
from autograder.report.lesson_text import SubmittedAnswer
from tests.support.growth import growth

SOLUTION = """
def walk(root):
    seen, todo = set(), [root]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    return seen
"""
ANSWER = """
def walk(root):  # mine
    known = {}
    def visit(step, depth=0):
        if step is None or known.get(step, 99) <= depth:
            return
        known[step] = depth
        for place in range(len(step.next_functions)):
            visit(step.next_functions[place][0], depth + 1)
    visit(root)
    return list(known)
"""
RENAMED_ANSWER = ANSWER.replace("known", "besucht").replace("step", "k").replace("# mine", "# my own idea")
OTHER_ANSWER = """
def walk(root):
    result = []
    queue = collections.deque((root,))
    while len(queue) > 0:
        first = queue.popleft()
        if any(first is each for each in result) or first is None:
            continue
        result.append(first)
        queue.extend(pair[0] for pair in first.next_functions)
    return sorted(result, key=lambda one: one.name())
"""


def find_pairs(
    texts: Mapping[str, str], course_texts: tuple[str, ...] = (SOLUTION,), is_code: bool = True
) -> list[Pair]:
    return pairs(
        {student: {"walk": SubmittedAnswer(text, is_code)} for student, text in texts.items()}, course_texts
    )


def test_copied_code_is_found_despite_renamed_variables_and_comments() -> None:
    (pair,) = find_pairs({"ann": ANSWER, "bob": RENAMED_ANSWER, "cho": OTHER_ANSWER, "dan": SOLUTION})
    assert (pair.students, pair.share, pair.tasks) == (("ann", "bob"), 1.0, ["walk"])


def test_code_given_by_the_course_does_not_count_as_copied() -> None:
    assert find_pairs({"ann": SOLUTION, "bob": SOLUTION, "cho": SOLUTION.replace("seen", "visited")}) == []
    assert find_pairs({"ann": ANSWER, "bob": ANSWER}, (SOLUTION, ANSWER)) == []
    assert find_pairs({"ann": ANSWER, "bob": ANSWER}, (f"A hint:\n\n```python\n{RENAMED_ANSWER}```\n",)) == []


def test_the_same_lines_in_answers_to_different_tasks_make_no_pair() -> None:
    answers = {"ann": {"walk": SubmittedAnswer(ANSWER)}, "bob": {"stroll": SubmittedAnswer(ANSWER)}}
    assert pairs(answers, ()) == []


def test_share_of_a_pair_is_measured_on_the_shorter_answer() -> None:
    (pair,) = find_pairs({"ann": ANSWER, "bob": ANSWER + OTHER_ANSWER, "cho": SOLUTION})
    assert (pair.shared, pair.share) == (pair.sizes[0], 1.0)
    assert pair.sizes[1] > 2 * pair.sizes[0]


def test_two_or_three_equal_lines_do_not_count_as_copied() -> None:
    answer = "def walk(root): return len(root.next_functions) - 1 + 2 * 3"
    assert find_pairs({"ann": answer, "bob": answer}) == []
    assert SEQUENCE_TOKENS < MIN_SHARED  # a few equal sequences may be a coincidence


def test_widespread_code_makes_pairs_only_if_answers_are_identical() -> None:
    helpers = [
        f"def helper{n}(x): return [x.a{n}, x.b{n}, x.c{n}] + [{n}, {n}, {n}, {n}, {n}]\n" for n in range(12)
    ]
    assert find_pairs({f"s{n:02}": ANSWER + helpers[n] for n in range(12)}) == []
    identical_pairs = find_pairs({f"s{n:02}": ANSWER for n in range(12)})
    assert [pair.students for pair in identical_pairs] == [("s00", f"s{n:02}") for n in range(1, 12)]


def test_prose_is_compared_word_by_word() -> None:
    text, other_text = (" ".join(f"{word}{number}" for number in range(30)) for word in ("점", "선"))
    (pair,) = find_pairs({"ann": text, "bob": text, "cho": other_text}, is_code=False)
    assert pair.students == ("ann", "bob")


@pytest.mark.parametrize("answer", ["", "(" * 50, '"""', "def walk(:\n  '", "\\" * 99, "\x00\ud800" * 40])
def test_answer_that_is_no_python_stops_no_comparison(answer: str) -> None:
    assert len(find_pairs({"ann": ANSWER, "bob": RENAMED_ANSWER, "odd": answer})) == 1


@pytest.mark.whole
@pytest.mark.parametrize("piece", ["'\\", '"""a', "'''", "x = 1\n", "f'"])
def test_tokenizing_time_grows_at_most_with_the_length(piece: str) -> None:
    from autograder.course import tokens

    def work(text: str) -> object:
        return tokens.TOKEN.findall(text)

    # Begin with 1,024 pieces: in shorter texts, a quotation mark may cost as much time as the text after it.
    assert growth(work, lambda size: piece * (64 * size)) < 64
