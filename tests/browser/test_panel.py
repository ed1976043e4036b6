"""The Check button, its panel and the start page in a real browser; the server answers from canned data."""

import json
import re
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support import fake_lesson
from tests.support import jupyterlab as lab
from tests.support.accessible import faults
from tests.support.fake_service import TASKS
from tests.support.fake_service import overview as fake_overview
from tests.support.fake_service import row as fake_row
from tests.support.jupyterlab import row
from tests.support.lessons import save
from tests.support.plain_course import HOMEWORK

pytestmark = pytest.mark.browser

WRITE = """([task, code]) => {
  const cells = [...window.jupyterapp.shell.currentWidget.content.model.cells];
  cells.find(cell => cell.getMetadata('nbgrader')?.grade_id === task).sharedModel.setSource(code);
}"""
CLEAR = "() => [...window.jupyterapp.shell.widgets('main')].forEach(widget => widget.dispose())"
TYPE = "code => window.jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.setSource(code)"
ACTIVE = """() => {
  const cell = window.jupyterapp.shell.currentWidget?.content?.activeCell;
  return cell?.model.getMetadata('nbgrader')?.grade_id;
}"""
FAIL = """task => {
  const cells = [...window.jupyterapp.shell.currentWidget.content.model.cells];
  const test = cells.find(cell => cell.getMetadata('nbgrader')?.grade_id === `test_${task}`);
  test.outputs.add({output_type: 'error', ename: 'AssertionError', evalue: '', traceback: ['']});
}"""
REOPEN = """async (path) => {  // with a kernel, but not the one that showed what is there
  const { commands } = window.jupyterapp;
  const { content, context } = await commands.execute('docmanager:open', {path, factory: 'Notebook'});
  await context.sessionContext.ready;
  for (const cell of content.model.cells) cell.trusted = true;
  await content.scrollToItem(content.widgets.length - 1, 'end');
}"""
# Opens a notebook with a kernel, whose language JupyterLab writes into the notebook. Returns whether the
# notebook counts as unsaved after that, and after a word is typed.
DIRTY_STATES = """async (path) => {
  const { commands } = window.jupyterapp;
  const { content, context } = await commands.execute('docmanager:open', {path, factory: 'Notebook'});
  const { model } = content;
  await context.sessionContext.ready;
  while (!model.getMetadata('language_info')) await new Promise(go => setTimeout(go, 20));
  await new Promise(go => setTimeout(go));
  const looked = model.dirty;
  model.cells.get(0).sharedModel.setSource('a word');
  const written = model.dirty;
  await context.save();
  return [looked, written];
}"""
OVERFLOWING = """root => [root, ...root.querySelectorAll('*')]
  .filter(each => getComputedStyle(each).overflowX !== 'visible' && each.clientWidth > 1)
  .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.className)"""
OUTLINE = """verdict => [...verdict.children]
  .map(({className}) => className.replace('secant-', '') || 'text').join(' ')"""
PANEL_TEXT = """() => {
  const panel = document.querySelector('.secant-panel').cloneNode(true);
  panel.querySelectorAll('.secant-verdict, code, h2, option').forEach(each => each.remove());
  return panel.textContent;
}"""
LAYOUT_SAVED = """async names => {  // JupyterLab notes what is open and where, some time after it was opened
  for (let tries = 0; tries < 200; tries++) {
    const noted = await (await fetch('/lab/api/workspaces/start')).json();
    const layout = JSON.stringify(noted.data['layout-restorer:data']);
    if (names.every(name => layout?.includes(`"${name}"`))) return true;
    await new Promise(go => setTimeout(go, 100));
  }
  return false;
}"""
# Imports the extension's own modules, and makes a stand-in for a lesson with only the members that they use.
LESSON = """async () => {
  const place = '/lab/extensions/secant/static';
  const [{ Row }, { Panel }, { words }] = await Promise.all(
    ['row', 'panel', 'words'].map(name => import(`${place}/${name}.js`)));
  const shown = ['H1', 'H2'].map(title => ({title, text: ''}));
  const task = {id: 'f', title: 'f', max_points: 2, manual: false, hints: 3, shown, best: 0};
  const lesson = {
    words: words('en'), rows: new Map(), best: new Map(), run: null, listeners: new Set(),
    notebook: {context: {path: 'x.ipynb'}}, problem: '', gained: null, hidden: false, when: null,
    next: async () => ({path: 'y.ipynb', number: 4, title: 'Next'}), level: async () => null,
    outcome: () => 'unchecked', stale: () => false, answerCells: () => [0], changed: () => false,
    total: () => ({points: 0, best: 0, most: 2}), 
    reached: () => ({said: '', value: 0, of: 2}), said: () => '',
    info: {hidden: true, language: 'en', lesson: 'x', about: '', number: null, title: 'Another course',
      tasks: [task]},
  };
"""
# Restores two earlier hints twice at the same time, as when a notebook comes back to the front.
HINTS = f"""{LESSON}
  const row = new Row({{render: () => new Promise(go => setTimeout(go, 20))}}, lesson, task);
  await Promise.all([row.restore(), row.restore()]);
  return [...row.more.querySelectorAll('h4'), row.hintButton].map(each => each.textContent);
}}"""
# Shows the solution of a task whose last answer is wrong. The learner must confirm this, unless an earlier
# answer had all points.
CONFIRMED = f"""{LESSON}
  task.shown = [];
  lesson.rows.set('f', {{outcome: 'wrong'}});
  lesson.server = {{solution: async () => ({{code: '', words: '', noted: false}})}};
  const asked = [];
  for (const best of [1, 2]) {{
    lesson.best.set('f', best);
    const panel = {{ask: async () => asked.push(best), render: async () => {{}}, progressed: () => {{}}}};
    const row = new Row(panel, lesson, task);
    await row.showSolution();
  }}
  return asked;
}}"""
CLOSE = f"""{LESSON}
  class Widget {{ constructor({{node}}) {{ Object.assign(this, {{node, title: {{}}}}); }} }}
  const panel = new Panel({{}}, {{Widget}}, {{sanitizer: {{}}, clone: () => null}}, words('en'), () => {{}});
  task.shown = [];
  panel.show(lesson);
  const drawn = [panel.heading.textContent, panel.rows.length, panel.list.children.length];
  panel.show(null);
  return [...drawn, panel.rows.length, panel.list.children.length];
}}"""
OBSERVERS = """async () => {  // how many look at a notebook's cells: while it is open, and then
  const { decorate } = await import('/lab/extensions/secant/static/cell.js');
  const signal = () => {
    const heard = new Set();
    return {heard, connect: slot => heard.add(slot), disconnect: slot => heard.delete(slot)};
  };
  const changed = signal(), disposed = signal();
  const content = {node: document.createElement('div'), widgets: [], model: {cells: {changed}}};
  decorate({notebook: {content, disposed}, info: {tasks: []}}, {});
  const open = changed.heard.size;
  for (const slot of disposed.heard) slot();
  return [open, changed.heard.size];
}"""
CURRENT_PATH = "() => window.jupyterapp.shell.currentWidget.context.path"
LEFT_SIDEBAR_IS = "open => !window.jupyterapp.shell.leftCollapsed === open"
NARROW = "ko/narrow/lesson.ipynb"
START_OPTIONS = '{"secantStart": "START.md", "secantLanguage": "ko", '


@pytest.fixture(scope="module")
def lab_server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start JupyterLab with the canned service, and with a notebook that is not a lesson."""
    folder = tmp_path_factory.mktemp("panel")
    lab.write_notebook(folder / "plain.ipynb", ["1"])
    (folder / "START.md").write_text("# The plain page\n")
    with lab.jupyterlab(folder, flags=fake_lesson.FLAGS) as address:
        yield SimpleNamespace(address=address, folder=folder, browser=browser)


@pytest.fixture(scope="module")
def shared_page(lab_server: Any) -> Iterator[Page]:
    """Provide one page for all tests that only open a lesson in it."""
    with lab.open_lab(lab_server.browser, lab_server.address) as page:
        page.set_default_timeout(20_000)
        yield page


@pytest.fixture
def page(lab_server: Any, shared_page: Page, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open a lesson for one test in the page, in English unless the test asks for another language."""
    name = f"{getattr(request, 'param', 'en')}/{request.node.name.partition('[')[0]}/lesson.ipynb"
    fake_lesson.write(lab_server.folder / name)
    open_lesson(shared_page, name)
    shared_page.evaluate("() => window.jupyterapp.shell.activateById('secant-panel')")
    yield shared_page
    shared_page.unroute_all()
    for dialog in shared_page.locator(".jp-Dialog button").all():
        dialog.click()
    shared_page.evaluate(CLEAR)
    lab.shut_down(lab_server.address, name)


def open_lesson(page: Page, name: str) -> None:
    page.evaluate(lab.OPEN, name)
    page.locator(".secant-toolbar >> visible=true").wait_for()


def check(page: Page) -> None:
    page.locator(".secant-check >> visible=true").click()
    wait_until_idle(page)


def wait_until_idle(page: Page) -> None:
    """Wait until a check is over."""
    expect(page.locator(".secant-panel")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".secant-buttons .secant-primary")).to_be_visible()


def test_plain_notebook_has_no_check_button_and_sends_no_request(lab_server: Any, shared_page: Page) -> None:
    requested: list[str] = []
    shared_page.on("request", lambda request: requested.append(request.url))
    shared_page.evaluate(lab.OPEN, "plain.ipynb")
    shared_page.get_by_role("button", name="Validate").wait_for()
    assert shared_page.locator(".secant-toolbar, .secant-cell").count() == 0
    assert requested
    assert not [address for address in requested if "secant/api" in address]
    shared_page.evaluate(lab.DISPOSE)
    lab.shut_down(lab_server.address, "plain.ipynb")


def test_ordinary_tests_are_shown_with_what_they_say_and_give_no_grade(
    lab_server: Any, shared_page: Page
) -> None:
    save(HOMEWORK, lab_server.folder / "homework.ipynb")
    open_lesson(shared_page, "homework.ipynb")
    button = shared_page.locator(".secant-toolbar >> visible=true").get_by_role("button", name="Check")
    assert "no grade" in (button.get_attribute("title") or "")
    button.click()
    shared_page.get_by_role("button", name="Run and check").click()
    panel = shared_page.locator("#secant-panel")
    expect(panel.locator(".secant-no-grade")).to_contain_text("This is no grade: only your notebook's own")
    rows = {
        "test_determinant": "✓ no error 2 / 2",
        "test_counts": "✗ failed 0 / 2",
        "test_part": "◐ part of the points 1.5 / 2",
        "why": "✎ a person grades this – / 2",
    }
    for cell, text in rows.items():
        assert row(shared_page, cell).locator(".secant-line").inner_text().split() == text.split()
    failed = row(shared_page, "test_counts")
    expect(failed.locator("pre.secant-trace")).to_have_text(
        "AssertionError: <img src=x onerror=alert(1)> Passed: 3 of 3 points"
    )
    expect(failed.locator("pre.secant-printed")).to_have_text("This is your grade: passed\n<b>3 / 3</b>")
    expect(panel.locator(".secant-row").last).to_contain_text("cell 2 stopped with an error (line 3)")
    assert panel.locator("img, b").count() == 0
    own_text = panel.evaluate(
        """panel => {
          const copy = panel.cloneNode(true);
          copy.querySelectorAll('pre').forEach(claim => claim.remove());
          return copy.textContent;
        }"""
    )
    assert "pass" not in own_text.lower()
    assert faults(shared_page, ".secant-panel") == []
    row(shared_page, "test_determinant").get_by_role("button", name="test_determinant").click()
    assert shared_page.evaluate(ACTIVE) == "test_determinant"
    assert shared_page.locator(".secant-cell").count() == 0
    shared_page.evaluate(lab.DISPOSE)
    lab.shut_down(lab_server.address, "homework.ipynb")


def test_panel_saves_and_shows_each_kind_of_verdict(page: Page) -> None:
    page.evaluate(WRITE, ["slope", "# wrong\nslope = 1"])
    check(page)
    outcomes = {
        "slope": "Wrong",
        "untouched": "Not attempted",
        "broken": "Crashed",
        "endless": "Timed out",
        "refused": "Rejected",
        "no_grader": "Could not be checked",
        "essay": "Graded by a person",
    }
    for task, outcome in outcomes.items():
        assert row(page, task).locator(".secant-outcome").inner_text() == outcome
    wrong_row = row(page, "tangent")
    assert "2.5000" in wrong_row.locator(".secant-expected").inner_text()
    assert "-2.5000" in wrong_row.locator(".secant-got").inner_text()
    assert wrong_row.locator(".secant-verdict").evaluate(OUTLINE) == "call pairs text cause"
    assert row(page, "broken").locator(".secant-verdict").evaluate(OUTLINE) == "call text trace text code"
    assert (
        row(page, "broken").locator("pre.secant-trace").inner_text() == "ZeroDivisionError: division by zero"
    )
    assert "0 of 14 points" in page.locator(".secant-total").inner_text()
    assert page.locator(".secant-spoken").inner_text() == "0 of 7 tasks passed, 0 of 14 points."


def test_panel_shows_server_messages_as_text(page: Page) -> None:
    check(page)
    assert "<img src=x" in row(page, "refused").inner_text()
    row(page, "tangent").get_by_role("button", name="Hint 1").click()
    row(page, "tangent").locator(".jp-RenderedMarkdown mjx-container").wait_for()
    assert page.evaluate("window.hacked") is None
    assert page.locator(".secant-panel :is(img, script)").count() == 0


def test_a_problem_is_reported_from_the_panel(page: Page) -> None:
    links = page.locator("#secant-panel a")
    expect(links).to_have_count(len(TASKS) + 1)
    for link, name in ((links.first, next(iter(TASKS))), (links.last, "03_lesson")):
        expect(link).to_have_attribute("href", f"https://example.org/issues/new?title={name}")
        expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(links.last).to_have_text("Report a problem in this lesson")


@pytest.mark.parametrize(
    ("page", "summary", "copy", "save"),
    [
        ("en", "Write a report without internet", "Copy the report", "Save as a file"),
        ("ko", "인터넷 없이 문제 적어 두기", "복사하기", "파일로 저장하기"),
    ],
    indirect=["page"],
)
def test_report_is_copied_and_saved_offline(page: Page, summary: str, copy: str, save: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_text(summary).click()
    report = page.locator(".secant-report")
    expect(report.locator("pre")).to_contain_text("Python: 3.11.2")
    report.locator("select").select_option("tangent")
    report.locator("textarea").fill("The sign is wrong.\n기호가 틀렸습니다.")
    facts = report.locator("pre").inner_text()
    text = (
        "Lesson: 03_lesson\nTask: tangent\nVersion: 9\n\nThe sign is wrong.\n기호가 틀렸습니다.\n\n"
        + facts
        + "\n"
    )
    report.get_by_role("button", name=copy).click()
    expect(report.get_by_role("status")).to_have_text(re.compile("Copied|복사했습니다"))
    assert page.evaluate("navigator.clipboard.readText()") == text
    with page.expect_download() as saved:
        report.get_by_role("button", name=save).click()
    assert saved.value.suggested_filename == "03_lesson-tangent-report.txt"
    assert saved.value.path().read_text(encoding="utf-8") == text


def test_report_is_copied_where_the_clipboard_is_closed_to_pages(page: Page) -> None:
    page.evaluate(
        "() => Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})"
    )
    page.route("**/secant/api/facts*", lambda route: route.abort())
    page.get_by_text("Write a report without internet").click()
    report = page.locator(".secant-report")
    expect(report.locator(".secant-facts code")).to_have_text("secant doctor --report")
    report.get_by_role("button", name="Copy the report").click()
    expect(report.get_by_role("status")).to_have_text("Copied.")
    page.evaluate("() => delete navigator.clipboard")


@pytest.mark.parametrize(
    ("page", "level", "remaining"),
    [
        ("en", "Level 3: Tangent", "120 XP to the next level"),
        ("ko", "레벨 3: 접선", "다음 레벨까지 120 XP"),
    ],
    indirect=["page"],
)
def test_panel_shows_level_and_experience_points(page: Page, level: str, remaining: str) -> None:
    strip = page.locator("#secant-panel .secant-strip")
    expect(strip.locator("strong")).to_have_text(level)
    overview = fake_overview("ko" if "접선" in level else "en")
    overview["level"]["xp"] = 180
    page.route("**/secant/api/progress*", lambda route: route.fulfill(json=overview))
    check(page)
    expect(strip).to_contain_text("180 XP")
    expect(strip.get_by_role("progressbar", name=remaining)).to_have_attribute("value", "180")


@pytest.mark.parametrize("page", ["ko"], indirect=True)
def test_korean_panel_contains_no_english(page: Page) -> None:
    check(page)
    assert row(page, "tangent").locator(".secant-outcome").inner_text() == "틀림"
    assert page.locator(".secant-total").inner_text() == "14점 만점에 2점"
    assert re.findall("[A-Za-z]+", page.evaluate(PANEL_TEXT)) == ["XP"]


@pytest.mark.parametrize(
    ("page", "notice", "total", "passed"),
    [
        ("en", "Only the visible tests", "Visible tests passed in 1 of 7 tasks", "Visible tests passed"),
        ("ko", "보이는 테스트만 있습니다", "과제 7개 가운데 1개가 보이는 테스트 통과", "보이는 테스트 통과"),
    ],
    indirect=["page"],
)
def test_panel_says_when_it_has_only_visible_tests(page: Page, notice: str, total: str, passed: str) -> None:
    page.locator(".secant-notice", has_text=notice).wait_for()
    check(page)
    page.locator(".secant-notice", has_text=notice).wait_for()
    expect(page.locator(".secant-total")).to_have_text(total)
    expect(page.locator(".secant-spoken")).to_contain_text(total)
    expect(row(page, "slope").locator(".secant-outcome")).to_have_text(passed)
    expect(row(page, "slope").locator(".secant-points")).to_have_text("– / 2")
    for button in row(page, "tangent").get_by_role("button", name=re.compile("Hint|힌트")).all():
        button.click()
    assert page.get_by_role("button", name=re.compile("^(Worked solution|모범 풀이)$")).count() == 0


def test_panel_shortcuts_collide_with_no_other_command(page: Page) -> None:
    keys = page.evaluate(
        "() => window.jupyterapp.commands.keyBindings.map(({command, keys}) => [command, keys])"
    )
    for own_command in ("secant:check", "secant:panel"):
        (shortcut,) = [keys for command, keys in keys if command == own_command]
        assert [command for command, keys in keys if keys == shortcut] == [own_command]
    page.locator(".jp-Cell").first.click()
    page.keyboard.press("Control+Shift+Enter")
    expect(row(page, "slope").locator(".secant-outcome")).to_have_text("Passed")
    wait_until_idle(page)


def test_keyboard_checks_one_task_from_its_test_cell(page: Page) -> None:
    check(page)
    page.evaluate(WRITE, ["slope", "# crashed\n"])
    page.evaluate(WRITE, ["tangent", "# passed\n"])
    button = page.locator(".secant-cell >> visible=true").first.get_by_role("button")
    assert button.get_attribute("aria-label") == "Check this task: slope"
    button.focus()
    page.keyboard.press("Enter")
    expect(row(page, "slope").locator(".secant-outcome")).to_have_text("Crashed")
    wait_until_idle(page)
    expect(button).to_be_focused()
    assert row(page, "tangent").locator(".secant-outcome").inner_text() == "Wrong"
    assert (
        page.locator(".secant-cell >> visible=true")
        .first.inner_text()
        .endswith("! Crashed · ZeroDivisionError: division by zero")
    )


def test_error_below_a_passed_test_is_labelled_outdated(page: Page) -> None:
    check(page)
    page.evaluate(FAIL, "slope")
    label = page.locator(".secant-cell", has_text="The error below is from the last run")
    expect(label).to_contain_text("✓ Passed")
    page.evaluate(FAIL, "tangent")
    expect(label).to_have_count(1)  # this error agrees with the verdict
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    expect(label).to_have_count(0)


def test_not_done_message_below_a_wrong_answer_is_labelled_outdated(page: Page) -> None:
    page.evaluate(FAIL.replace("AssertionError", "NotImplementedError"), "tangent")
    check(page)
    label = page.locator(".secant-cell", has_text="The error below is from the last run")
    expect(label).to_contain_text("✗ Wrong")


def test_viewed_lesson_is_not_marked_as_unsaved(lab_server: Any, page: Page) -> None:
    name = "en/test_viewed_lesson_is_not_marked_as_unsaved/lesson.ipynb"
    page.evaluate(lab.DISPOSE)
    assert page.evaluate(DIRTY_STATES, name) == [False, True]
    lab.shut_down(lab_server.address, name)


@pytest.mark.parametrize("page", ["ko"], indirect=True)
def test_prediction_without_a_kernel_shows_the_stored_choice(lab_server: Any, page: Page) -> None:
    name = "ko/test_prediction_without_a_kernel_shows_the_stored_choice/lesson.ipynb"
    predictions_file = (lab_server.folder / name).with_name("predictions.json")
    predictions_file.write_text('{"7 which": {"first": "A", "choice": "B"}}')
    page.evaluate(lab.DISPOSE)
    page.evaluate(REOPEN, name)
    lines = page.locator(".secant-remains p")
    expect(lines.first).to_have_text("고른 답: B. 12")
    expect(lines.last).to_contain_text("이 셀을 다시 실행하면")


def test_panel_names_answers_changed_since_the_check(page: Page) -> None:
    check(page)
    notice = page.locator(".secant-notice", has_text="changed since")
    assert notice.count() == 0
    page.evaluate(WRITE, ["tangent", "# passed\n"])
    notice.wait_for()
    assert "changed since" in row(page, "tangent").inner_text()
    assert "changed since" not in row(page, "slope").inner_text()
    page.evaluate(WRITE, ["tangent", "# wrong\ndef tangent(f, x): ..."])
    expect(notice).to_be_hidden()
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:insert-cell-below')")
    page.evaluate(TYPE, "helper = 1")
    notice.wait_for()  # the new cell may matter, but no answer has changed
    assert page.locator("[data-stale]").count() == 0


def test_panel_shows_the_best_points_next_to_lower_ones(page: Page) -> None:
    best = page.locator(".secant-best")
    check(page)
    assert "2 of 14 points" in page.locator(".secant-total").inner_text()
    expect(best).to_be_hidden()
    page.evaluate(WRITE, ["slope", "# wrong\n"])
    check(page)
    assert "0 of 14 points" in page.locator(".secant-total").inner_text()
    expect(best).to_have_text("Your best so far: 2 of 14 points. A later check never lowers it.")
    assert "best: 2" in row(page, "slope").inner_text()
    assert "best" not in row(page, "tangent").inner_text()


def test_last_result_is_shown_when_a_notebook_is_reopened(page: Page) -> None:
    check(page)
    page.evaluate(lab.DISPOSE)
    page.get_by_text("Open a lesson to see").wait_for()
    open_lesson(page, "en/test_last_result_is_shown_when_a_notebook_is_reopened/lesson.ipynb")
    assert row(page, "tangent").locator(".secant-outcome").inner_text() == "Wrong"
    assert "Nov 20, 2026" in page.locator(".secant-when").inner_text()
    changed_row = page.locator(".secant-row[data-stale]")  # the server reports a change of that task only
    assert changed_row.get_attribute("data-task") == "broken"


def test_hints_open_in_turn_and_the_solution_after_a_confirmation(page: Page) -> None:
    check(page)
    wrong_row = row(page, "tangent")
    for endpoint in ("hint", "solution"):
        page.route(f"**/secant/api/{endpoint}*", delay)
    wrong_row.get_by_role("button", name="Hint 1 of 2").dblclick()
    expect(wrong_row.locator("h4")).to_be_focused()
    expect(wrong_row.locator("section")).to_have_count(1)
    wrong_row.get_by_role("button", name="Hint 2 of 2").click()
    expect(wrong_row.locator("section")).to_have_count(2)
    assert wrong_row.get_by_role("button", name="Hint").count() == 0
    wrong_row.get_by_role("button", name="Worked solution").click()
    assert "will show that you looked" in page.locator(".jp-Dialog").inner_text()
    page.get_by_role("button", name="Keep trying").click()
    expect(wrong_row.locator("section")).to_have_count(2)
    wrong_row.get_by_role("button", name="Worked solution").click()
    page.get_by_role("button", name="Show it").click()
    expect(wrong_row.locator("section").last).to_contain_text("return f(x)")
    row(page, "slope").get_by_role("button", name="Worked solution").dblclick()
    expect(row(page, "slope").locator("section")).to_contain_text("Why it works")
    check(page)
    expect(row(page, "slope").locator("section")).to_have_count(1)
    expect(wrong_row.locator("section")).to_have_count(3)  # requested texts stay


def test_a_hint_shows_text_and_can_neither_load_nor_do_anything(page: Page) -> None:
    """A hint may come from a stranger's notebook, and it appears in Secant's panel."""
    check(page)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    wrong_row = row(page, "tangent")
    wrong_row.get_by_role("button", name="Hint 1 of 2").click()
    wrong_row.get_by_role("button", name="Hint 2 of 2").click()
    hint = wrong_row.locator("section").nth(1)
    expect(hint.locator("mjx-container, .MathJax").first).to_be_visible()
    text = hint.inner_text()
    assert all(
        words in text for words in ("Check again", "a chart", "another", "all of it", "bold", "code", "def f")
    )
    forbidden = "button, img, [id], [style*=fixed], [data-commandlinker-command], .jp-Dialog, .secant-row"
    assert hint.locator(".jp-RenderedMarkdown").locator(forbidden).count() == 0
    assert hint.get_by_role("link", name="a link").get_attribute("href") == "https://example.org"
    assert not [url for url in requested if "stranger" in url]


@pytest.mark.parametrize("page", ["en/stranger", "ko/stranger"], indirect=True)
def test_a_notebook_of_unknown_origin_is_run_only_once_its_reader_agrees(page: Page) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    button = page.locator(".secant-check >> visible=true")
    button.click()
    dialog = page.locator(".jp-Dialog")
    expect(dialog).to_contain_text("권한" if page.evaluate(CURRENT_PATH).startswith("ko/") else "permissions")
    page.keyboard.press("Enter")  # the focus is on the button that does not run the notebook
    expect(dialog).to_have_count(0)
    assert not [url for url in requested if "secant/api/check" in url]
    button.click()
    dialog.locator("button.jp-mod-warn").click()
    wait_until_idle(page)
    expect(row(page, "slope").locator(".secant-verdict")).to_be_visible()
    button.click()
    wait_until_idle(page)
    assert dialog.count() == 0
    assert len([url for url in requested if "secant/api/check" in url]) == 2


def test_restored_hints_are_shown_once(shared_page: Page) -> None:
    assert shared_page.evaluate(HINTS) == ["H1", "H2", "Hint 3 of 3"]


def test_solution_of_a_passed_task_needs_no_confirmation(shared_page: Page) -> None:
    assert shared_page.evaluate(CONFIRMED) == [1]


def test_panel_shows_no_foreign_lesson_number_and_frees_closed_lessons(shared_page: Page) -> None:
    assert shared_page.evaluate(CLOSE) == ["Another course", 1, 1, 0, 0]


def test_closed_view_stops_observing_the_cells(shared_page: Page) -> None:
    """Another view of the same notebook may share the cells, and stay open after this view is closed."""
    assert shared_page.evaluate(OBSERVERS) == [1, 0]


def test_one_key_leads_from_a_cell_to_its_row_and_back(page: Page) -> None:
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 4; }")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.content.activate()")
    page.keyboard.press("Alt+Shift+Enter")
    expect(row(page, "tangent").locator(".secant-go")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Alt+Shift+Enter")
    page.wait_for_function("() => document.querySelector('.jp-Notebook').contains(document.activeElement)")
    assert page.evaluate(ACTIVE) == "tangent"


def test_collapsed_test_cell_is_labelled(page: Page) -> None:
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:hide-all-cell-code')")
    placeholder = page.locator(".jp-Placeholder-contentContainer >> visible=true").nth(1)
    script = "each => getComputedStyle(each, '::before').content"
    assert placeholder.evaluate(script) == '"Tests of slope · run this cell, or press Check"'
    assert placeholder.inner_text().strip() == ""
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 1; }")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.content.activate()")
    page.keyboard.press("Shift+Enter")  # the key that the start page names
    page.wait_for_function(f"() => ({ACTIVE})() === 'test_slope'")
    page.locator(".jp-Dialog").wait_for()  # no kernel runs here, so JupyterLab asks for one
    page.keyboard.press("Escape")


def test_panel_row_leads_to_its_cell_or_reports_it_missing(page: Page) -> None:
    check(page)
    row(page, "endless").get_by_role("button", name="endless").first.click()
    page.wait_for_function(f"() => ({ACTIVE})() === 'endless'")
    expect(page.locator(".jp-Cell.jp-mod-active")).to_be_in_viewport()
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:delete-cell')")
    row(page, "endless").get_by_role("button", name="endless").first.click()
    assert (
        "no longer in the notebook" in page.locator(".secant-panel [role=alert] >> visible=true").inner_text()
    )


@pytest.mark.parametrize(
    ("page", "message"),
    [("en", "Starting the checker…"), ("ko", "확인할 준비를 하는 중…")],
    indirect=["page"],
)
def test_panel_says_that_the_checker_is_starting(page: Page, message: str) -> None:
    page.locator(".secant-check >> visible=true").click()
    expect(page.locator(".secant-clock")).to_contain_text(message)
    expect(page.locator(".secant-clock")).not_to_contain_text(message)
    wait_until_idle(page)
    assert row(page, "tangent").locator(".secant-outcome").inner_text() in ("Wrong", "틀림")


def test_stopped_check_keeps_the_verdicts_so_far(page: Page) -> None:
    check(page)
    page.evaluate(WRITE, ["slope", "# crashed\n"])
    page.evaluate(WRITE, ["untouched", "# slow\n"])
    page.locator(".secant-buttons .secant-primary").focus()
    page.keyboard.press("Enter")
    expect(row(page, "slope").locator(".secant-outcome")).to_have_text("Crashed")
    assert row(page, "untouched").locator(".secant-outcome").inner_text() == "Checking…"
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    wait_until_idle(page)
    expect(page.locator(".secant-buttons .secant-primary")).to_be_focused()
    assert "Stopped" in page.locator(".secant-panel [role=alert] >> visible=true").inner_text()
    assert row(page, "slope").locator(".secant-outcome").inner_text() == "Crashed"
    assert row(page, "untouched").locator(".secant-outcome").inner_text() == "Not attempted"
    assert page.locator(".secant-gained").inner_text() == "You gained 12 XP."  # for the verdicts so far


def error_response(status: int, message: str) -> Any:
    return lambda route: route.fulfill(status=status, json={"message": message, "reason": None})


def delay(route: Route) -> None:
    time.sleep(0.2)
    route.continue_()


def hang_up(route: Route) -> None:
    route.abort("connectionreset")


def break_off(route: Route) -> None:
    route.fulfill(status=200, body=json.dumps({"event": "begin", "hidden": True, "tasks": ["slope"]}) + "\n")


@pytest.mark.parametrize(
    ("address", "answer", "message"),
    [
        ("**/api/contents/**", error_response(403, "Permission denied: x"), "is not writable"),
        ("**/api/contents/**", error_response(500, "x [Errno 28] No space left on device"), "disk is full"),
        (
            "**/api/contents/**",
            error_response(500, "[Errno 2] No such file or directory: 'x'"),
            "no longer there",
        ),
        pytest.param(
            "**/api/contents/**",
            error_response(500, "the disk burns"),
            "the disk burns",
            marks=pytest.mark.deep,
        ),
        ("**/api/contents/**", hang_up, "server does not answer"),
        ("**/secant/api/check*", error_response(409, ""), "already being checked"),
        pytest.param(
            "**/secant/api/check*", error_response(403, "XSRF"), "does not recognise", marks=pytest.mark.deep
        ),
        pytest.param(
            "**/secant/api/check*",
            error_response(404, "not there"),
            "no longer there",
            marks=pytest.mark.deep,
        ),
        pytest.param(
            "**/secant/api/check*",
            error_response(500, "the worker is gone"),
            "the worker is gone",
            marks=pytest.mark.deep,
        ),
        pytest.param("**/secant/api/check*", hang_up, "server does not answer", marks=pytest.mark.deep),
        ("**/secant/api/check*", break_off, "lost before the last verdict"),
    ],
)
def test_failing_request_is_explained_and_loses_no_result(
    page: Page, address: str, answer: Any, message: str
) -> None:
    check(page)
    page.evaluate(WRITE, ["slope", "# crashed\nmine = 1"])
    page.route(address, lambda route: route.continue_() if route.request.method == "GET" else answer(route))
    page.evaluate("() => window.jupyterapp.commands.execute('secant:check')")
    wait_until_idle(page)
    alert = page.locator(".secant-panel [role=alert] >> visible=true")
    assert message in alert.inner_text()
    assert row(page, "tangent").locator(".secant-outcome").inner_text() == "Wrong"
    for button in page.locator(".jp-Dialog button").all():  # JupyterLab's own dialogs about a failed save
        button.click()
    page.unroute_all()
    page.evaluate("() => window.jupyterapp.commands.execute('secant:check')")
    expect(row(page, "slope").locator(".secant-outcome")).to_have_text("Crashed")
    assert alert.count() == 0


# --- the start page ---


@pytest.fixture(scope="module")
def korean_page(lab_server: Any) -> Iterator[Page]:
    """Yield a browser page in which JupyterLab opens in Korean, with the options that `secant lab` sets.

    The page's layout is stored separately from that of other pages.
    """
    for name in ("ko/lesson.ipynb", NARROW):
        fake_lesson.write(lab_server.folder / name)

    def use_korean(route: Route) -> None:
        answer = route.fetch()
        body = re.sub(r'(id="jupyter-config-data"[^>]*>\s*)\{', r"\1" + START_OPTIONS, answer.text())
        route.fulfill(response=answer, body=body)

    context = lab_server.browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    page = context.new_page()
    page.route("**/lab/workspaces/**", use_korean)
    yield page
    context.close()
    for name in ("ko/lesson.ipynb", NARROW):
        lab.shut_down(lab_server.address, name)


def open_start(page: Page, lab_server: Any) -> None:
    """Open Secant's start page at the address of START.md, the plain page that Secant replaces."""
    page.goto(f"{lab_server.address}/lab/workspaces/start/tree/START.md")
    page.locator(".secant-start h1").wait_for(timeout=30_000)


def test_start_page_replaces_the_plain_one_and_updates_after_a_pass(
    lab_server: Any, korean_page: Page
) -> None:
    page = korean_page
    open_start(page, lab_server)
    assert page.evaluate("() => [...window.jupyterapp.shell.widgets('main')].map(({id}) => id)") == [
        "secant-start"
    ]
    assert page.evaluate(LEFT_SIDEBAR_IS, True)  # a window this wide has room for all sidebars
    assert page.locator(".secant-start h1").inner_text() == "PyTorch autograd 배우기"
    assert page.locator(".secant-card").count() == 10
    assert page.locator(".secant-card button").count() == 9  # the tenth lesson is missing here
    assert page.locator(".secant-arrows > path").count() == 9
    assert page.locator(".secant-achievements li").count() == 13
    assert page.locator("[data-earned=true]").count() == 0
    expect(page.locator(".secant-start .secant-away")).to_have_attribute("href", re.compile("title=Secant"))
    expect(page.locator(".secant-continue")).to_be_focused()
    page.keyboard.press("Enter")
    page.locator(".secant-toolbar").wait_for()
    page.locator(".validate-button").wait_for(state="attached")
    # The learner's own JupyterLab shows only Secant's button.
    expect(page.locator(".validate-button")).to_be_hidden()
    page.wait_for_function(f"() => ({ACTIVE})() === 'tangent'")
    page.evaluate(WRITE, ["tangent", "# passed\n"])
    check(page)
    expect(page.locator(".secant-gained[role=status]")).to_have_text(
        "24 XP를 얻었습니다. 레벨이 올랐습니다. 이제 레벨 3(접선)입니다.새로운 성취:★ OnePass."
    )
    expect(page.locator("[data-earned=true]")).to_have_count(5)
    assert page.locator(".secant-level progress").get_attribute("value") == "180"
    assert page.evaluate(LAYOUT_SAVED, ["secant-start", "notebook:ko/lesson.ipynb"])
    page.reload()  # all documents are restored, with the same one in front
    page.locator(".secant-toolbar >> visible=true").wait_for()
    page.locator(".secant-card").nth(9).wait_for(state="attached")
    assert page.evaluate(CURRENT_PATH) == "ko/lesson.ipynb"


def test_the_start_page_without_its_server_offers_the_plain_page(page: Page) -> None:
    alert = page.locator(".secant-start [role=alert]")
    page.route("**/secant/api/progress*", error_response(404, "There is no course here."))
    page.evaluate("() => window.jupyterapp.commands.execute('secant:start')")
    expect(alert).to_have_text("There is no course here.")
    for answer, message in (
        (error_response(403, "XSRF"), "does not recognise this page"),
        (error_response(500, "It broke."), "cannot be shown now (It broke)."),
        (hang_up, "server does not answer"),
    ):
        page.route("**/secant/api/progress*", answer)
        page.get_by_role("button", name="Try again").click()
        expect(alert).to_contain_text(message)
    page.get_by_role("button", name="plain page").click()
    page.locator(".jp-MarkdownViewer, .jp-FileEditor").wait_for()
    page.evaluate(lab.DISPOSE)
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".secant-card")).to_have_count(10)


REVIEW = {
    "name": "3 two calls",
    "number": 3,
    "text": "## Predict first\n\nThe slope of $x^2$ is `4`:\n\n```\nx.grad\n```\n\n**What is printed?**",
    "choices": {"A": "4 and `12`", "B": "16 and 16"},
    "right": "B",
    "replies": {"A": "It *adds*: `backward()` does not overwrite.", "B": "Both names mean one tensor."},
    "days": 3,
}


def show_start_page(page: Page, **additions: Any) -> list[dict[str, Any]]:
    """Show the start page with additional data; return the list of the requests that it will post."""
    posts: list[dict[str, Any]] = []

    def answer(route: Route) -> None:
        if route.request.method == "POST":
            posts.append(
                {"to": re.search(r"api/(\w+)", route.request.url)[1], **(route.request.post_data_json or {})}
            )
            route.fulfill(json={"aside": "/there/progress until today.json"})
            return
        data = route.fetch().json()
        settings = {"reviewing": False, "review": None} if {"to": "review", "wanted": False} in posts else {}
        route.fulfill(json=data | additions | settings)

    for name in ("progress", "review", "anew"):
        page.route(f"**/secant/api/{name}?*", answer)
    page.evaluate("() => window.jupyterapp.commands.execute('secant:start')")
    return posts


def test_start_page_asks_an_earlier_prediction_again(page: Page) -> None:
    posts = show_start_page(page, review=REVIEW)
    review = page.locator(".secant-review")
    expect(review).to_contain_text("A prediction from lesson 3. You made it 3 days ago.")
    expect(review.locator(".secant-review-text pre")).to_contain_text("x.grad")
    assert review.get_by_role("heading").all_inner_texts() == ["Do you still remember?"]
    with page.expect_response("**/secant/api/review?*"):
        review.get_by_role("button", name="A. 4 and 12").click()
    status = review.get_by_role("status")
    expect(status).to_contain_text("You chose A. The answer is B.")
    assert "backward() does not overwrite" in status.inner_text()
    assert "Both names mean one tensor" in status.inner_text()
    expect(review.get_by_role("button", name="Done")).to_be_focused()
    assert posts == [{"to": "review", "name": "3 two calls", "right": False}]
    review.get_by_role("button", name="Do not ask again").click()
    expect(review).to_have_count(0)
    expect(page.get_by_role("button", name="Ask me about predictions")).to_be_visible()
    assert posts[1:] == [{"to": "review", "wanted": False}]
    page.unroute_all()


def test_progress_of_another_copy_is_labelled_and_can_be_reset(page: Page) -> None:
    posts = show_start_page(page, elsewhere=True)
    notice = page.locator(".secant-elsewhere")
    expect(notice).to_contain_text("come from another copy")
    notice.get_by_role("button", name="Start over").click()
    page.locator(".jp-Dialog").get_by_role("button", name="Keep my progress").click()
    assert posts == []
    notice.get_by_role("button", name="Start over").click()
    page.locator(".jp-Dialog").get_by_role("button", name="Start over").click()
    expect(page.locator(".secant-start .secant-notice")).to_contain_text("/there/progress until today.json")
    assert posts == [{"to": "anew"}]
    page.unroute_all()


def pass_all(route: Route) -> None:
    """Answer a check that finishes the lesson and earns two achievements."""
    tasks = [task for task, outcome in TASKS.items() if outcome != "manual"]
    achievements = [
        {"title": "A whole lesson", "how": "Pass every task."},
        {"title": "Wrong, then understood", "how": "Go on."},
    ]
    gained = {"xp": 24, "level": None, "achievements": achievements}
    events = [
        {"event": "begin", "lesson": "03_lesson", "language": "en", "hidden": True, "tasks": tasks},
        *({"event": "task", "task": fake_row(task, "passed", "en")} for task in tasks),
        {"event": "end", "score": 2, "max_score": 2, "seconds": 0.1, "gained": gained, "problem": None},
    ]
    route.fulfill(body="".join(f"{json.dumps(event)}\n" for event in events))


def test_lesson_end_is_shown_in_view_and_links_to_the_next(lab_server: Any, page: Page) -> None:
    fake_lesson.write(lab_server.folder / "en" / "lesson.ipynb")
    page.route("**/secant/api/check?*", pass_all)
    page.locator(".secant-panel .secant-scroll").evaluate(
        "place => { place.scrollTop = place.scrollHeight; }"
    )
    check(page)
    gained = page.locator(".secant-gained")
    assert gained.get_by_role("listitem").all_inner_texts() == [
        "★ A whole lesson\nPass every task.",
        "★ Wrong, then understood\nGo on.",
    ]
    end = page.locator(".secant-end")
    expect(end).to_contain_text("Every task of this lesson is passed")
    expect(end).to_contain_text("A person grades essay.")
    next_button = end.get_by_role("button", name="Next: Lesson 4 · Branches and broadcasts")
    expect(next_button).to_be_in_viewport()
    expect(gained).to_be_in_viewport()
    assert page.evaluate("() => document.activeElement.closest('.secant-end')") is None
    next_button.click()
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget?.context?.path === 'en/lesson.ipynb'")


# --- class editions, accessibility, narrow windows ---


def test_the_end_of_a_lesson_with_visible_tests_promises_no_points(page: Page) -> None:
    for task in TASKS:
        page.evaluate(WRITE, [task, "# passed\n"])
    check(page)
    end = page.locator(".secant-end")
    expect(end).to_contain_text("The visible tests of every task pass. Hidden tests check more")
    expect(end.get_by_role("button", name="Lesson 4")).to_be_visible()
    assert "points" not in end.inner_text()


def test_the_start_page_of_a_class_edition_counts_tasks_and_promises_nothing(page: Page) -> None:
    def class_edition(route: Route) -> None:
        data = route.fetch().json() | {"hidden": False, "achievements": []}
        data["lessons"][0] |= {"points": 0, "passed": 7, "graded": 7, "state": "done"}
        data["lessons"][1] |= {"points": 0, "passed": 2, "graded": 7, "state": "in_progress"}
        route.fulfill(status=200, body=json.dumps(data))

    page.route("**/secant/api/progress*", class_edition)
    page.evaluate("() => window.jupyterapp.commands.execute('secant:start')")
    first, second = page.locator(".secant-card").nth(0), page.locator(".secant-card").nth(1)
    expect(first.locator(".secant-outcome")).to_have_text("Visible tests passed")
    expect(first.locator(".secant-points")).to_have_text("7 of 7 tasks")
    expect(second.locator(".secant-points")).to_have_text("2 of 7 tasks")
    expect(second.locator("progress")).to_have_attribute("value", "2")
    for text in ("how many of its tasks pass the visible tests", "Achievements need the hidden tests"):
        expect(page.locator(".secant-start")).to_contain_text(text)


def test_the_first_task_that_is_not_passed_is_in_view_and_its_reason_at_its_test(page: Page) -> None:
    for task in list(TASKS)[:-2]:
        page.evaluate(WRITE, [task, "# passed\n"])
    check(page)  # this check scrolls to what it has earned, and the next one to a task
    page.evaluate(WRITE, ["no_grader", "# wrong\n"])
    check(page)
    expect(row(page, "no_grader").locator(".secant-outcome")).to_be_in_viewport()
    row(page, "no_grader").get_by_role("button", name="no_grader").first.click()
    verdict = page.locator(".secant-cell", has_text="Is the sign")
    expect(verdict).to_contain_text("✗ Wrong · Is the sign turned round?")


@pytest.mark.parametrize(
    ("page", "theme"),
    [("en", "JupyterLab Light"), ("ko", "JupyterLab Light"), ("en", "JupyterLab Dark")],
    indirect=["page"],
)
def test_axe_finds_no_serious_fault(page: Page, theme: str) -> None:
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)
    check(page)
    row(page, "tangent").get_by_role("button", name=re.compile("Hint 1|힌트 1")).click()
    row(page, "slope").get_by_role("button", name=re.compile("Worked solution|모범 풀이")).click()
    row(page, "slope").locator("section").wait_for()
    selectors = [".secant-panel", ".secant-cell", ".secant-toolbar"]
    assert [fault for selector in selectors for fault in faults(page, selector)] == []
    page.evaluate("() => window.jupyterapp.commands.execute('secant:start')")
    page.locator(".secant-card").first.wait_for()
    assert faults(page, ".secant-start") == []


SHOW_START_ALONE = """async () => {
  const { shell, commands } = window.jupyterapp;
  await new Promise(requestAnimationFrame);  // by then the page has heard of its new width
  for (const widget of [...shell.widgets('main')]) if (widget.id !== 'secant-start') widget.dispose();
  shell.collapseRight();
  shell.activateById('filebrowser');
  await commands.execute('secant:start');
}"""


@pytest.fixture
def start_page(lab_server: Any, korean_page: Page) -> Page:
    """Show the start page in a wide window, with the file browser next to it."""
    korean_page.set_viewport_size({"width": 1280, "height": 800})
    if korean_page.url == "about:blank":
        open_start(korean_page, lab_server)
    korean_page.evaluate(SHOW_START_ALONE)
    return korean_page


def test_sidebars_collapse_in_a_narrow_window_and_reopen(start_page: Page) -> None:
    """A window that is zoomed to 200 % is as narrow as this one; the start page must stay readable in it."""
    start_page.evaluate("() => window.jupyterapp.shell.activateById('secant-panel')")
    start_page.wait_for_function(LEFT_SIDEBAR_IS, arg=True)
    start_page.set_viewport_size({"width": 720, "height": 450})
    start_page.wait_for_function(LEFT_SIDEBAR_IS, arg=False)
    expect(start_page.locator(".secant-panel")).to_be_hidden()
    assert lab.box(start_page.locator(".secant-card").first)["width"] > 200
    assert lab.box(start_page.locator(".secant-start"))["width"] > 600
    start_page.set_viewport_size({"width": 1280, "height": 800})
    start_page.wait_for_function(LEFT_SIDEBAR_IS, arg=True)
    expect(start_page.locator(".secant-panel")).to_be_visible()


def test_sidebar_opened_by_hand_in_a_narrow_window_stays(start_page: Page) -> None:
    start_page.set_viewport_size({"width": 720, "height": 450})
    start_page.wait_for_function(LEFT_SIDEBAR_IS, arg=False)
    start_page.locator(".jp-SideBar.jp-mod-left [data-id=filebrowser]").click()
    start_page.wait_for_function(LEFT_SIDEBAR_IS, arg=True)
    start_page.set_viewport_size({"width": 700, "height": 450})
    start_page.evaluate(lab.OPEN, NARROW)
    expect(start_page.locator(".secant-check >> visible=true")).to_be_in_viewport(ratio=1)
    check(start_page)  # this opens the panel
    assert start_page.evaluate(LEFT_SIDEBAR_IS, True)
    assert start_page.evaluate(LAYOUT_SAVED, ["secant-start", f"notebook:{NARROW}"])
    start_page.reload()
    start_page.locator(".secant-card").first.wait_for(state="attached")
    start_page.evaluate("async () => { await window.jupyterapp.restored; }")
    assert start_page.evaluate(LEFT_SIDEBAR_IS, True)


def test_on_a_small_screen_the_notebook_has_room_beside_the_panel(start_page: Page) -> None:
    start_page.set_viewport_size({"width": 1024, "height": 768})
    start_page.evaluate(lab.OPEN, NARROW)
    # Without the panel, there is room for the left sidebar next to the notebook.
    start_page.wait_for_function(LEFT_SIDEBAR_IS, arg=True)
    check(start_page)
    start_page.wait_for_function(LEFT_SIDEBAR_IS, arg=False)
    expect(start_page.locator(".secant-check >> visible=true")).to_be_in_viewport(ratio=1)
    # JupyterLab takes a moment to widen the notebook; with the left sidebar, a cell is 245 pixels wide.
    cell = start_page.locator(".jp-Cell >> visible=true").first.element_handle()
    start_page.wait_for_function("cell => cell.getBoundingClientRect().width > 550", arg=cell, timeout=10_000)


def test_panel_reports_a_lost_server_until_it_answers_again(page: Page) -> None:
    alert = page.locator(".secant-panel > [role=alert]")
    for address in ("**/api/sessions*", "**/secant/api/progress*"):
        page.route(address, hang_up)
    # JupyterLab polls the server only every ten seconds, and skips polls while busy, so poll repeatedly.
    sessions = "window.jupyterapp.serviceManager.sessions"
    timer = page.evaluate(f"() => setInterval(() => {sessions}.refreshRunning().catch(() => {{}}), 500)")
    expect(alert).to_contain_text("The server does not answer.", timeout=20_000)
    page.evaluate("clearInterval", timer)
    page.unroute_all()
    expect(alert).to_be_hidden(timeout=10_000)


@pytest.mark.parametrize("width", [1024, 640])
def test_panel_content_is_no_wider_than_the_panel(page: Page, width: int) -> None:
    """Test a window of 1024 pixels, and a window of 1280 pixels that is zoomed to 200 % (640 CSS pixels)."""
    check(page)
    row(page, "slope").get_by_role("button", name="Worked solution").click()
    row(page, "slope").locator("pre").wait_for()
    page.set_viewport_size({"width": width, "height": 600})
    expect(page.locator(".secant-check >> visible=true")).to_be_in_viewport(
        ratio=1
    )  # with both sidebars open
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    assert page.locator(".secant-panel").evaluate(OVERFLOWING) == []
    page.evaluate("() => window.jupyterapp.commands.execute('secant:start')")
    page.locator(".secant-card").first.wait_for()
    assert page.locator(".secant-start").evaluate(OVERFLOWING) == []
    page.set_viewport_size({"width": 1280, "height": 800})


def test_the_panel_works_in_notebook_7(lab_server: Any) -> None:
    name = "en/notebook7/lesson.ipynb"
    fake_lesson.write(lab_server.folder / name)
    context = lab_server.browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    try:
        page = context.new_page()
        page.goto(f"{lab_server.address}/notebooks/{name}")
        page.locator(".secant-check").click(timeout=30_000)
        expect(row(page, "tangent").locator(".secant-outcome")).to_have_text("Wrong")
        expect(page.locator(".secant-panel")).to_be_visible()
        page.locator(".secant-cell").first.get_by_role("button").click()
        expect(page.locator(".secant-cell").first.locator(".secant-outcome")).to_contain_text("Passed")
    finally:
        context.close()
        lab.shut_down(lab_server.address, name)
