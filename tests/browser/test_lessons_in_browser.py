"""Each lesson, done as a learner does it in JupyterLab, in both languages, with the real service.

The solved notebook is run to the end, its explorers are dragged, and it is checked. Then some answers are
replaced by typical wrong ones, and the notebook is checked again. The start page stays open all the time.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Page, expect

from autograder.course.cells import grade_id, is_answer
from autograder.course.lesson import Lesson
from secant.language import Language
from tests.support import jupyterlab as lab
from tests.support import lessons as course
from tests.support.accessible import faults
from tests.support.jupyterlab import row
from tests.support.naming import count_unlabelled

pytestmark = pytest.mark.browser

LESSONS = {lesson.name: lesson for lesson in course.LESSONS}
# JavaScript for all code cells of the notebook; JupyterLab draws only the cells in view.
CELLS = "window.jupyterapp.shell.currentWidget.content.widgets.filter(cell => cell.model.type === 'code')"
ALL_CELLS_RUN = f"() => {CELLS}.every(cell => cell.model.executionCount)"
ERRORS = f"""() => {CELLS}.flatMap(cell => cell.model.outputs.toJSON())
  .filter(output => output.output_type === 'error' || output.name === 'stderr')"""
EXPLORERS = f"() => {CELLS}.filter(cell => /^explore/m.test(cell.model.sharedModel.getSource())).length"
SHOW = f"""async (number) => {{
  const notebook = window.jupyterapp.shell.currentWidget.content;
  const cell = {CELLS}.filter(cell => /^explore/m.test(cell.model.sharedModel.getSource()))[number];
  notebook.activeCellIndex = notebook.widgets.indexOf(cell);
  await notebook.scrollToCell(cell);
}}"""
WRITE = f"""answers => {{
  for (const cell of {CELLS}) {{
    const answer = answers[cell.model.getMetadata('nbgrader')?.grade_id];
    if (answer !== undefined) cell.model.sharedModel.setSource(answer);
  }}
}}"""

START = """async () => {
  await window.jupyterapp.restored;
  await window.jupyterapp.commands.execute("secant:start");
}"""

CRASH, ENDLESS, ERROR, UNTOUCHED = "crash", "endless loop", "error", "untouched"
#: Replacements of some of each lesson's answers: the name of a recorded wrong answer, or a constant above.
#: Among other faults, these answers give wrong values, forget special cases, change something, or never end.
WRONG_ANSWERS = {
    "01": {
        "forward_difference": "divides by the h that was typed",
        "central_difference": "stops warnings",
        "autograd_slope": "a leaf of ints",
        "hand_derivative": UNTOUCHED,  # a cell of the lesson calls this function
        "best_step": ENDLESS,
        "doubling_slope": CRASH,
    },
    "02": {
        "classify": "an empty tensor holds nothing to track",
        "graph_nodes": "leaves a hook on each leaf",
        "leaves_of": CRASH,
        "derivatives_by_hand": "loses the 2",
        "second_backward_works": UNTOUCHED,
    },
    "03": {
        "fresh_grad": "leaves a hook on x",
        "grad_history": "keeps the alias",
        "train5": CRASH,
        "accumulate": "zeros for what is not tracked",
        "all_grads": UNTOUCHED,
    },
    "04": {
        "total_derivative": "passes on before all has arrived",
        "unbroadcast": "takes the dimensions out in place",
        "pow_backward": CRASH,
        "shared_weight_grad": "the last use alone",
    },
    "05": {
        "matrix_vjp": "does not transpose W2",
        "jacobian_by_rows": CRASH,
        "directional_derivative": "leaves x tracked",
        "weighted_backward": "only one dimension",
        "per_sample_grads": UNTOUCHED,
    },
    "06": {
        "splice": "the sum of y is enough",
        "sgd_step_": "by index",
        "evaluate": "leaves evaluation mode on",
        "stop_gradient": ERROR,
        "running_loss": CRASH,
        "freeze_first": UNTOUCHED,
        "agreement_loss": "cuts nothing",
    },
    "07": {
        "breaks_backward": "an in-place edit always breaks",
        "saved_shapes": "leaves empty tensors out",
        "checkpoint_chain": "eats the list",
        "clip_hook": CRASH,
        "step_in_backward": UNTOUCHED,
        "first_bad_op": ERROR,
        "find_culprit": "pack keeps the same memory",
    },
    "08": {
        "MyPow": "the slope in q as in Code 21",
        "backward_is_right": "only the tracked inputs",
        "StableSoftplus": "clamps its input in place",
        "safe_sqrt": CRASH,
        "at_the_kink": UNTOUCHED,
    },
    "09": {
        "second_derivative": "takes backward with create_graph for harmless",
        "hvp": CRASH,
        "newton_step": "steps chain one graph",
        "gradient_penalty": UNTOUCHED,
        "Cube": "keeps x detached",
    },
    "10": {  # the earlier tasks build on each other
        "backward_twice": "forgets the graph afterwards",
        "value_functions": "no n before the power",
        "fit_line": CRASH,
    },
}
OUTCOMES = {CRASH: "crashed", ENDLESS: "timed_out", UNTOUCHED: "not_attempted"}
MESSAGES: Mapping[str, Mapping[Language, str]] = {
    CRASH: {"en": "the Python process ended", "ko": "파이썬 프로세스가 끝나 버렸습니다"},
    ENDLESS: {"en": "Is there a loop that does not end?", "ko": "끝나지 않는 반복문이 있나요?"},
    ERROR: {
        "en": "NameError: name 'nothing' is not defined",
        "ko": "NameError: name 'nothing' is not defined",
    },
    UNTOUCHED: {"en": "the placeholder is still there", "ko": "답을 쓸 자리가 그대로 있습니다"},
}
BODIES = {  # a sleeping loop runs into the time limit too, and leaves the processor to other tests
    CRASH: "    import os\n    os._exit(3)",
    ENDLESS: "    import time\n    while True:\n        time.sleep(0.1)",
    ERROR: "    return nothing",
}
TOTAL = {"en": "{0:g} of {0:g} points", "ko": "{0:g}점 만점에 {0:g}점"}


@pytest.fixture(scope="module")
def page(lab_server: Any, window: Any) -> Iterator[Any]:
    """Provide one page, in which the lessons are opened one after another; the start page stays open."""
    for name, lesson in LESSONS.items():
        answers = {task.id: task.answer.source for task in course.questions(lesson)}
        notebook = course.with_answers(course.assignment(lesson).releases[lab_server.language], answers)
        path = lab_server.folder / name / f"{name}.ipynb"
        path.parent.mkdir()
        nbformat.write(notebook, path)
    page = window.page
    previous_size = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 1200})
    page.evaluate(START)
    yield page
    page.evaluate(lab.DISPOSE)
    page.set_viewport_size(previous_size)


@pytest.mark.parametrize("name", LESSONS)
def test_lesson_runs_its_explorer_can_be_dragged_and_it_is_checked(
    lab_server: Any, page: Page, name: str
) -> None:
    with lab.running(page, lab_server.address, f"{name}/{name}.ipynb"):
        page.wait_for_function(ALL_CELLS_RUN, timeout=90_000)
        # No session remains from notebooks that were opened earlier, in this page or in another page.
        assert [session["path"] for session in lab.sessions(lab_server.address)] == [f"{name}/{name}.ipynb"]
        assert page.evaluate(ERRORS) == []
        count = page.evaluate(EXPLORERS)
        assert count >= 1
        for number in range(count):
            page.evaluate(SHOW, number)
            assert_drag_updates_explorer(
                page, page.locator(".jp-mod-active .secant-explorer"), lab_server.language
            )
        assert_solution_passes(page, name, lab_server.language)
        assert_wrong_answers_are_explained(page, name, lab_server.language)


def assert_drag_updates_explorer(page: Any, explorer: Any, language: str) -> None:
    explorer.locator("img").wait_for(timeout=60_000)
    lab.wait_until_still(explorer, 0.4)
    page.wait_for_function("e => e.querySelector('img').alt", arg=explorer.element_handle(), timeout=10_000)
    before = explorer.locator(".secant-words").inner_text()
    assert is_korean(before) == (language == "ko")
    assert is_korean(explorer.locator("img").get_attribute("alt")) == (language == "ko")
    assert count_unlabelled(explorer) == 0
    assert faults(page, ".jp-mod-active .secant-explorer") == []
    lab.drag(page, explorer.locator(".noUi-handle").first, 0.3)
    page.wait_for_function(
        "([e, old]) => e.querySelector('.secant-words').innerText !== old",
        arg=[explorer.element_handle(), before],
        timeout=10_000,
    )


def assert_solution_passes(page: Page, name: str, language: Language) -> None:
    """Assert that the panel and the start page show all points, and that the panel names new achievements."""
    card = page.locator(".secant-card").nth(list(LESSONS).index(name))
    # The notebook's answers differ from the release's, so the lesson counts as begun.
    expect(card).to_have_attribute("data-state", "in_progress")
    before = earned_titles(page)
    check(page)
    points = sum(task.points for task in course.questions(LESSONS[name]))
    expect(page.locator(".secant-total")).to_have_text(TOTAL[language].format(points))
    for task in course.questions(LESSONS[name]):
        expect(row(page, task.id)).to_have_attribute("data-outcome", "passed")
    expect(card).to_have_attribute("data-state", "done")
    assert card.locator("progress").evaluate("bar => [bar.value, bar.max]") == [points, points]
    after = earned_titles(page)
    assert len(after) >= 3  # achievements for a task, a lesson, and a lesson without a hint
    for title in after - before:
        expect(page.locator(".secant-gained")).to_contain_text(title)


def assert_wrong_answers_are_explained(page: Page, name: str, language: Language) -> None:
    """Assert that each wrong answer gets its outcome and its message, while the other tasks still pass."""
    expected = dict.fromkeys((task.id for task in course.questions(LESSONS[name])), ("passed", ""))
    answers = {}
    for task, kind in WRONG_ANSWERS[name[:2]].items():
        answers[task], hint = wrong_answer(LESSONS[name], task, kind, language)
        expected[task] = OUTCOMES.get(kind, "wrong"), hint
    page.evaluate(WRITE, answers)
    check(page)
    for task, (outcome, hint) in expected.items():
        expect(row(page, task)).to_have_attribute("data-outcome", outcome)
        expect(row(page, task).locator(".secant-verdict")).to_contain_text(hint.replace("`", ""))


def wrong_answer(lesson: Lesson, task: str, kind: str, language: Language) -> tuple[str, str]:
    """Return a wrong answer, and the words that its message must contain."""
    if kind in BODIES:
        return f"def {task}(*args):\n{BODIES[kind]}", MESSAGES[kind][language]
    if kind == UNTOUCHED:
        cells = filter(is_answer, course.assignment(lesson).releases[language].cells)
        return next(cell.source for cell in cells if grade_id(cell) == task), MESSAGES[kind][language]
    answers = course.wrong_answers(lesson)
    (answer,) = [answer for answer in answers if (answer.task, answer.name) == (task, kind)]
    return answer.source, answer.hint[language]


def check(page: Page) -> None:
    """Press the button, and wait until the check is over."""
    panel = page.locator(".secant-panel")
    page.locator(".secant-check >> visible=true").click()
    expect(panel).to_have_attribute("aria-busy", "true")
    expect(panel).to_have_attribute("aria-busy", "false", timeout=60_000)
    expect(panel.get_by_role("alert")).to_have_count(0)


def earned_titles(page: Page) -> set[str]:
    return set(page.locator(".secant-start [data-earned=true] strong").all_text_contents())


def is_korean(text: str) -> bool:
    return bool(re.search("[가-힣]", text))
