"""Answers that are more alike than the course explains, as pairs, for a person to judge.

Each answer becomes the set of its sequences of LENGTH tokens, in which all variables look alike. What the
course itself says (stubs, hints, tests, examples, solutions) is taken out, and so is what many in the class
wrote: that is the usual way to do it. What is left is a student's own. The method is that of MOSS
(Schleimer, Wilkerson and Aiken, Winnowing, 2003) without the winnowing: a class's answers are short. An
index by sequence finds the pairs, so no two answers are compared that share nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from autograder.course.tokens import tokens
from autograder.report.told import Answer

LENGTH = 8  # tokens of a sequence
LEAST = 16  # sequences that two must share: three or four lines
SHARE = 0.5  # of the shorter one's own that they must share
FEW, MANY = 5, 20  # students with a sequence above whom it is usual: a tenth of the class, within these

Answers = Mapping[str, Mapping[str, Answer]]  # by student and task
_Own = dict[int, str]  # the tasks of a student's own sequences


@dataclass(frozen=True)
class Pair:
    """Two students whose answers are alike.

    Attributes:
        students: who.
        same: how many sequences of tokens both have that the course does not explain.
        own: how many each has.
        tasks: those that the same sequences are in, those with most of them first.
    """

    students: tuple[str, str]
    same: int
    own: tuple[int, int]
    tasks: Sequence[str]

    @property
    def share(self) -> float:
        """Of what the one with fewer has of their own, the part that both have."""
        return self.same / min(self.own)


def pairs(answers: Answers, explained: Iterable[str]) -> list[Pair]:
    """Return the pairs, those with the largest share first.

    Args:
        answers: what everybody wrote.
        explained: what the course says: code, and text with code in it.
    """
    known = {one for text in explained for is_code in (True, False) for one in _sequences(text, is_code)}
    everybody = {student: _own(of, known) for student, of in sorted(answers.items())}
    # Who has exactly the same counts once: else what a large group has copied would pass for usual.
    groups: dict[frozenset[int], list[str]] = {}
    for student, sequences in everybody.items():
        groups.setdefault(frozenset(sequences), []).append(student)
    rare = _without_usual({group[0]: everybody[group[0]] for group in groups.values()}, len(everybody))
    found = [
        pair
        for (first, second), same in _shared(rare).items()
        if (pair := _pair(first, second, same, rare)).share >= SHARE
    ]
    for group in groups.values():
        first, same = group[0], len(everybody[group[0]])
        tasks = _tasks(everybody[first].values())
        found += [Pair((first, other), same, (same, same), tasks) for other in group[1:] if same >= LEAST]
    return sorted(found, key=lambda pair: (-pair.share, -pair.same, pair.students))


def _sequences(text: str, is_code: bool) -> Iterable[int]:
    found = tokens(text, is_code)
    return (hash(found[at : at + LENGTH]) for at in range(len(found) - LENGTH + 1))


def _own(answers: Mapping[str, Answer], known: set[int]) -> _Own:
    return {
        hash((task, one)): task  # to another task, the same lines are another answer
        for task, answer in answers.items()
        for one in _sequences(answer.text, answer.is_code)
        if one not in known
    }


def _without_usual(everybody: Mapping[str, _Own], students: int) -> dict[str, _Own]:
    """Leave out what more students have than coincidence would need a reason for."""
    most = min(MANY, max(FEW, students // 10))
    counts = Counter(one for own in everybody.values() for one in own)
    return {
        student: {one: task for one, task in own.items() if counts[one] <= most}
        for student, own in everybody.items()
    }


def _shared(everybody: Mapping[str, _Own]) -> dict[tuple[str, str], int]:
    """How many sequences two students share, of those who share enough."""
    index: dict[int, list[str]] = {}
    for student, own in everybody.items():
        for one in own:
            index.setdefault(one, []).append(student)
    counts: Counter[tuple[str, str]] = Counter()
    for students in index.values():
        counts.update(combinations(students, 2))
    return {pair: same for pair, same in counts.items() if same >= LEAST}


def _pair(first: str, second: str, same: int, everybody: Mapping[str, _Own]) -> Pair:
    one, other = everybody[first], everybody[second]
    return Pair(
        (first, second), same, (len(one), len(other)), _tasks(one[each] for each in one if each in other)
    )


def _tasks(found: Iterable[str]) -> list[str]:
    return [task for task, _ in Counter(found).most_common()]
