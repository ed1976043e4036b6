"""Formgrader's pages with hostile names: no script in a name runs, and each name is shown as typed."""

import re
import shutil
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbformat import v4
from nbgrader.api import Gradebook
from playwright.sync_api import Page, Route, expect

from tests.support.formgrader import formgrader
from tests.support.small_class import STEPS, answered_notebook, build_course, hand_in, run, solutions

TAG = "<img src=x onerror=hit(1)>"
SCRIPT = '</script><script>hit(2)</script>"+hit(3)+"'
HONEST = "O'Brien & Sons <3"
HOSTILE_ID = f"mallory{TAG}"
QUOTED_ID = 'eve";hit(4);"'
OTHER = f"other{TAG}"
MISSING = f"missing{TAG}"

HTML = f'<script>hit(5)</script>{TAG}<script type="text/x-mathjax-config">hit(8)</script>'
MATHJAX = """addEventListener('DOMContentLoaded', () => {
  const author = window.MathJax ?? {AuthorInit: () => null};  // without our extension
  const signal = {Interest: () => null};
  const hooks = [], StartupHook = (name, act) => hooks.push(act);
  const Config = found => { window.configured = found; };
  window.MathJax = {Hub: {Config, Register: {StartupHook}, Startup: {signal}}};
  author.AuthorInit();
  window.MathJax.Hub.Queue = () => { window.typeset = true; };  // there is no queue before
  hooks.forEach(act => act());
  for (const each of document.querySelectorAll('script[type="text/x-mathjax-config"]')) {
    try { window.eval(each.textContent); } catch (error) { console.log(error.name); }
  }
});"""


def fill(root: Path) -> None:
    """Fill a gradebook as nbgrader's own commands do, without any function of Secant."""
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}", "secant") as book, book.db.no_autoflush:
        book.update_or_create_student("ann", first_name=TAG, last_name=SCRIPT, email=TAG)
        book.update_or_create_student("bob", first_name=HONEST, last_name="Kim", email="b@example.org")
        for student_id in (HOSTILE_ID, QUOTED_ID):
            book.update_or_create_student(student_id, first_name=TAG, last_name=SCRIPT, email=SCRIPT)
            book.add_submission(STEPS, student_id)
        book.add_assignment(OTHER)
        book.add_notebook(MISSING, OTHER)
        book.add_submission(OTHER, "ann")
        for comment in book.find_submission_notebook(STEPS, STEPS, "ann").comments:
            comment.manual_comment = f"</textarea>{TAG}"
        book.db.commit()


@pytest.fixture(scope="module")
def course_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("names")
    build_course(root)
    for student_id in ("ann", "bob"):
        hand_in(root, student_id, answered_notebook(root, solutions(root)))
    summary, _ = run(root)
    assert not summary.failed
    fill(root)
    (root / "source" / OTHER).mkdir()
    graded = root / "autograded" / "ann" / STEPS / f"{STEPS}.ipynb"
    notebook = v4.reads(graded.read_text(encoding="utf-8"))
    output = v4.new_output("display_data", data={"text/html": HTML})
    notebook.cells.append(v4.new_code_cell("1", outputs=[output]))
    notebook.cells.append(v4.new_markdown_cell(f"{TAG} <script>hit(6)</script> [x](javascript:hit(7))"))
    graded.write_text(v4.writes(notebook), encoding="utf-8")
    shutil.copytree(root / "autograded" / "ann", root / "autograded" / HOSTILE_ID)
    shutil.copytree(root / "submitted" / "ann", root / "submitted" / HOSTILE_ID)
    return root


@pytest.fixture(scope="module")
def address(course_root: Path) -> Iterator[str]:
    with formgrader(course_root) as server:
        yield server.address


def answer_as_mathjax(route: Route) -> None:
    """Answer a request for MathJax with a stand-in, and any other request with an empty script.

    Like MathJax, the stand-in reads the settings in the page, and runs the page's scripts of MathJax's type.
    """
    route.fulfill(content_type="text/javascript", body=MATHJAX if "mathjax" in route.request.url else "")


class WatchedPage:
    """A page that records its errors, and calls of `hit`, which every script in a hostile name would make."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self._address = page, address
        self.hits: list[Any] = []
        self.errors: list[str] = []
        page.expose_function("hit", lambda number: self.hits.append(number))
        page.route(re.compile("^https:"), answer_as_mathjax)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, *parts: str) -> Page:
        """Open a page of formgrader and wait for its table."""
        self.page.goto("/".join([self._address, *(urllib.parse.quote(part, safe="") for part in parts)]))
        self.page.wait_for_load_state("networkidle")
        return self.page

    def assert_clean(self) -> None:
        """Fail if an injected script ran, or if a script of formgrader raised an error."""
        self.page.wait_for_timeout(100)
        assert self.hits == []
        assert self.errors == []


@pytest.fixture
def watched_page(browser: Any, address: str) -> Iterator[WatchedPage]:
    page = browser.new_page()
    yield WatchedPage(page, address)
    page.close()


def notebook_id(course_root: Path, student: str) -> str:
    with Gradebook(f"sqlite:///{course_root / 'gradebook.db'}", "secant") as book:
        return str(book.find_submission_notebook(STEPS, STEPS, student).id)


def test_hostile_names_are_text_in_lists_of_assignments_and_notebooks(watched_page: WatchedPage) -> None:
    for name in ("manage_assignments", "gradebook"):
        expect(watched_page.open(name).get_by_role("link", name=OTHER, exact=True)).to_be_visible()
        watched_page.assert_clean()
    page = watched_page.open("gradebook", OTHER)
    expect(page.locator(".breadcrumb .active")).to_have_text(OTHER)
    expect(page.get_by_role("link", name=MISSING, exact=True)).to_be_visible()
    watched_page.assert_clean()
    expect(watched_page.open("gradebook", OTHER, MISSING).locator(".breadcrumb .active")).to_have_text(
        MISSING
    )
    watched_page.assert_clean()


def test_hostile_names_are_text_in_the_list_of_students_and_its_dialogs(watched_page: WatchedPage) -> None:
    page = watched_page.open("manage_students")
    expect(page.get_by_role("link", name=f"Kim, {HONEST}", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name=f"{SCRIPT}, {TAG}", exact=True)).to_have_count(3)
    page.locator("tr", has_text="mallory").locator(".edit a").click()
    expect(page.locator(".modal-title")).to_have_text(f"Editing {HOSTILE_ID}")
    expect(page.locator("input.modal-first-name")).to_have_value(TAG)
    page.locator(".modal-footer .btn-danger").click()
    page.locator("input[type=search]").fill("img")  # the table's own search
    expect(page.locator("#main-table tr")).to_have_count(3)
    page.get_by_role("link", name="Add new student").click()
    expect(page.locator(".modal-title")).to_have_text("Add New Student")
    watched_page.assert_clean()


@pytest.mark.parametrize("student", [HOSTILE_ID, QUOTED_ID, SCRIPT.replace("/", "")])
def test_hostile_names_are_text_on_the_pages_of_a_student(watched_page: WatchedPage, student: str) -> None:
    assert watched_page.open("manage_students", student).evaluate("student_id") == student
    expect(watched_page.page.locator(".breadcrumb .active")).to_have_text(student)
    watched_page.assert_clean()
    assert watched_page.open("manage_students", student, STEPS).evaluate("[student_id, assignment_id]") == [
        student,
        STEPS,
    ]
    watched_page.assert_clean()


def test_hostile_name_is_text_for_a_notebook_with_a_missing_file(watched_page: WatchedPage) -> None:
    page = watched_page.open("manage_students", "ann", OTHER)
    expect(page.locator("#main-table .name")).to_have_text(f"{MISSING} (file missing)")
    watched_page.assert_clean()


def test_hostile_names_are_text_in_the_list_of_submissions_and_its_error_dialog(
    watched_page: WatchedPage,
) -> None:
    page = watched_page.open("manage_submissions", STEPS)
    page.route("**/autograde", lambda route: route.fulfill(status=500))
    page.locator("tr", has_text="mallory").locator(".autograde a").click()
    message = f"There was an error autograding '{STEPS}' for student '{HOSTILE_ID}'"
    expect(page.locator(".modal-body")).to_contain_text(message)
    watched_page.assert_clean()


def test_hostile_name_is_text_for_an_assignment_that_fails(watched_page: WatchedPage) -> None:
    page = watched_page.open("manage_assignments")
    page.route("**/assign", lambda route: route.fulfill(status=500))
    page.locator("tr", has_text=OTHER).locator(".assign a").click()
    expect(page.locator(".modal-body")).to_contain_text(OTHER)
    page.locator(".modal-footer button").click()
    page.get_by_role("link", name="Add new assignment").click()
    expect(page.locator(".modal-title").last).to_have_text("Add New Assignment")
    watched_page.assert_clean()


def test_hostile_names_are_text_in_the_list_for_manual_grading(watched_page: WatchedPage) -> None:
    page = watched_page.open("gradebook", STEPS, STEPS)
    page.get_by_role("button", name="Show All Names").click()
    expect(page.get_by_role("link", name=f"{SCRIPT}, {TAG}", exact=True).first).to_be_visible()
    expect(page.get_by_role("link", name=f"Kim, {HONEST}", exact=True)).to_be_visible()
    watched_page.assert_clean()


def test_formgrader_submission_page_shows_name_and_comment_as_text(
    watched_page: WatchedPage, course_root: Path
) -> None:
    page = watched_page.open("submissions", notebook_id(course_root, "ann"), "")
    page.locator("span.name-hidden").click()
    expect(page.locator("a.name-shown")).to_have_text(f"{SCRIPT}, {TAG}")
    expect(page.locator("textarea.comment").first).to_have_value(f"</textarea>{TAG}")
    assert page.evaluate("window.configured.tex2jax.inlineMath[0]") == ["$", "$"]
    assert page.evaluate("window.typeset")
    watched_page.assert_clean()
    page = watched_page.open("submissions", notebook_id(course_root, "bob"), "")
    page.locator("span.name-hidden").click()
    expect(page.locator("a.name-shown")).to_have_text(f"Kim, {HONEST}")
    watched_page.assert_clean()
