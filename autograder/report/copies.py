"""Find pairs of answers that are more alike than the course's material explains, for a person to judge.

Each answer becomes the set of its sequences of SEQUENCE_TOKENS tokens, with all variables replaced by the
same token. Sequences from the course itself (stubs, hints, tests, examples, solutions) are removed. Sequences
that many students wrote are also removed, because they are the usual way to solve the task. The remaining
sequences count as the student's own. The method is that of MOSS (Schleimer, Wilkerson and Aiken, Winnowing,
2003) without the winnowing, because the answers of a class are short. The pairs are found with an index of
the sequences, so answers that share no sequence are never compared.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from autograder.course.tokens import tokens
from autograder.report.lesson_text import SubmittedAnswer

SEQUENCE_TOKENS = 8  # number of tokens in a sequence
MIN_SHARED = 16  # minimum number of shared sequences in a reported pair: about three or four lines of code
MIN_SHARE = 0.5  # minimum `Pair.share` of a reported pair
# A sequence of tokens is considered common if it occurs in the answers of more than a tenth of the class.
# This threshold is never below MIN_USUAL or above MAX_USUAL students.
MIN_USUAL, MAX_USUAL = 5, 20

Answers = Mapping[str, Mapping[str, SubmittedAnswer]]  # answers, keyed by student and then by task
# The sequences of tokens in a student's answers that do not come from the course. The hash of each sequence
# is mapped to the task in which the sequence occurs.
_Sequences = dict[int, str]


@dataclass(frozen=True)
class Pair:
    """Two students with similar answers.

    Attributes:
        students: the names of the two students.
        shared: the number of sequences of tokens that both students' answers contain. Sequences from the
            course do not count. Sequences that many students wrote count only if the two students' answers
            are identical.
        sizes: for each of the two students, the number of sequences in the student's answers, shared or not,
            counted by the same rules.
        tasks: the tasks whose answers contain the shared sequences; the task with the most of them comes
            first.
    """

    students: tuple[str, str]
    shared: int
    sizes: tuple[int, int]
    tasks: Sequence[str]

    @property
    def share(self) -> float:
        """The number of shared sequences, divided by the smaller of the two numbers in `sizes`."""
        return self.shared / min(self.sizes)


def pairs(answers: Answers, explanations: Iterable[str]) -> list[Pair]:
    """Return the pairs of students with similar answers, sorted by `Pair.share` in descending order.

    Args:
        answers: the answers of all students.
        explanations: the course's own texts and code. Whatever an answer has in common with them does not
            count as copied.
    """
    course_sequences = {
        sequence
        for text in explanations
        for is_code in (True, False)
        for sequence in _sequences(text, is_code)
    }
    sequences_by_student = {
        student: _own_sequences(student_answers, course_sequences)
        for student, student_answers in sorted(answers.items())
    }
    # Students with identical sequences count as one. Otherwise code that a large group copied would be taken
    # for the usual solution.
    groups: dict[frozenset[int], list[str]] = {}
    for student, sequences in sequences_by_student.items():
        groups.setdefault(frozenset(sequences), []).append(student)
    rare = _remove_common(
        {group[0]: sequences_by_student[group[0]] for group in groups.values()}, len(sequences_by_student)
    )
    result = [
        pair
        for (first, second), shared in _count_shared(rare).items()
        if (pair := _pair(first, second, shared, rare)).share >= MIN_SHARE
    ]
    for group in groups.values():
        first, shared = group[0], len(sequences_by_student[group[0]])
        tasks = _tasks(sequences_by_student[first].values())
        result += [
            Pair((first, other), shared, (shared, shared), tasks)
            for other in group[1:]
            if shared >= MIN_SHARED
        ]
    return sorted(result, key=lambda pair: (-pair.share, -pair.shared, pair.students))


def _sequences(text: str, is_code: bool) -> Iterable[int]:
    all_tokens = tokens(text, is_code)
    return (
        hash(all_tokens[start : start + SEQUENCE_TOKENS])
        for start in range(len(all_tokens) - SEQUENCE_TOKENS + 1)
    )


def _own_sequences(answers: Mapping[str, SubmittedAnswer], course_sequences: set[int]) -> _Sequences:
    return {
        # the task is part of the hash, so that the same lines in two different tasks do not count as shared
        hash((task, sequence)): task
        for task, answer in answers.items()
        for sequence in _sequences(answer.text, answer.is_code)
        if sequence not in course_sequences
    }


def _remove_common(sequences_by_student: Mapping[str, _Sequences], students: int) -> dict[str, _Sequences]:
    """Remove the sequences that are too common in the class to suggest copying."""
    limit = min(MAX_USUAL, max(MIN_USUAL, students // 10))
    counts = Counter(sequence for sequences in sequences_by_student.values() for sequence in sequences)
    return {
        student: {sequence: task for sequence, task in sequences.items() if counts[sequence] <= limit}
        for student, sequences in sequences_by_student.items()
    }


def _count_shared(sequences_by_student: Mapping[str, _Sequences]) -> dict[tuple[str, str], int]:
    """Return how many sequences each pair of students shares, for pairs that share at least MIN_SHARED."""
    index: dict[int, list[str]] = {}
    for student, sequences in sequences_by_student.items():
        for sequence in sequences:
            index.setdefault(sequence, []).append(student)
    counts: Counter[tuple[str, str]] = Counter()
    for students in index.values():
        counts.update(combinations(students, 2))
    return {pair: count for pair, count in counts.items() if count >= MIN_SHARED}


def _pair(first: str, second: str, shared: int, sequences_by_student: Mapping[str, _Sequences]) -> Pair:
    first_sequences, second_sequences = sequences_by_student[first], sequences_by_student[second]
    return Pair(
        (first, second),
        shared,
        (len(first_sequences), len(second_sequences)),
        _tasks(first_sequences[sequence] for sequence in first_sequences if sequence in second_sequences),
    )


def _tasks(tasks: Iterable[str]) -> list[str]:
    return [task for task, _ in Counter(tasks).most_common()]
