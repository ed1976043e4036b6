"""Tests of the class edition: it is complete, and nothing in it gives an answer away."""

import csv
import io
import json
import keyword
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat.v4
import pytest

from autograder.build.builder import build
from autograder.course.cells import is_answer, is_installer, is_manual
from autograder.course.errors import CourseError
from autograder.course.lesson import find_lessons
from autograder.course.tokens import is_name
from autograder.edition import wheel
from autograder.edition.leaks import SHORTEST, Secrets
from autograder.edition.pack import make_edition, pack
from autograder.edition.wheel import make_wheel, make_zip
from secant.address import urls
from secant.language import LANGUAGES, Language
from secant.where import INSIDE
from tests.support.lessons import LESSONS, ROOT, questions, with_answers
from tests.support.small_class import STEPS, Here, hand_in, run, solutions

NAMES = [lesson.name for lesson in LESSONS]


@pytest.fixture(scope="module")
def edition() -> bytes:
    """Return our course's class edition in both languages, as the bytes of its zip file."""
    return make_edition(ROOT, LANGUAGES)


@pytest.fixture(scope="module")
def secrets() -> Secrets:
    return Secrets(ROOT)


@pytest.fixture
def room(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "room"))


def names(archive: bytes) -> list[str]:
    return zipfile.ZipFile(io.BytesIO(archive)).namelist()


def wheel_of(archive: bytes) -> bytes:
    (name,) = (name for name in names(archive) if name.endswith(".whl"))
    return zipfile.ZipFile(io.BytesIO(archive)).read(name)


def every_file(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the name and contents of each file in a zip file and in the archives inside it."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.comment == b""
        for entry in opened.infolist():
            assert (entry.comment, entry.extra, entry.date_time[0]) == (b"", b"", 1980)
            data = opened.read(entry)
            yield entry.filename, data
            if zipfile.is_zipfile(io.BytesIO(data)):
                yield from every_file(data)


# --- No answer is given away ---


def test_edition_contains_no_line_of_answers_or_hidden_tests(edition: bytes, secrets: Secrets) -> None:
    kinds = {line.kind for line in secrets.lines.values()}
    assert kinds == {"answer", "hidden test", "worked solution"}
    assert {line.lesson for line in secrets.lines.values()} == set(NAMES)
    assert len(secrets.lines) > 3000
    assert secrets.leaks(edition) == []


def test_edition_contains_no_kind_of_file_that_holds_answers(edition: bytes) -> None:
    """Look for answers as a student would who knows the repository."""
    for name, data in every_file(edition):
        assert not name.endswith((".pyc", ".db")), name
        assert not any(part in name for part in ("/source/", "answers", "solutions.ipynb", "__pycache__")), (
            name
        )
        assert b"### BEGIN HIDDEN" not in data or name.endswith(".py"), name
        if name.endswith(".ipynb"):
            notebook = nbformat.v4.reads(data.decode())
            written = [cell.source for cell in filter(is_answer, notebook.cells) if not is_manual(cell)]
            assert written, name
            assert all("raise NotImplementedError" in source for source in written), name
            assert "HIDDEN TESTS" not in data.decode(), name
    inside = [name for name, _ in every_file(edition) if name.startswith(f"{INSIDE}/course/")]
    assert inside == [f"{INSIDE}/course/syllabus.toml"]


@pytest.mark.whole
def test_leak_search_finds_every_secret_line_in_any_encoding(secrets: Secrets) -> None:
    lines = [line.text for line in secrets.lines.values()]
    assert min(map(len, lines)) >= SHORTEST
    for told in ("\n".join(lines), json.dumps(lines), json.dumps(lines, ensure_ascii=False)):
        assert len(secrets.lines_in(told)) == len(lines)
    assert all(secrets.lines_in(line) for line in lines), "the text ends with the line"
    shapes = [line.text for line in secrets.shapes.values() if '"""' not in line.text]
    assert {line.text for line in secrets.lines_in("\n".join(shapes), is_code=True)} >= set(shapes)


def renamed(code: str) -> str:
    """Return code with other names for everything that its writer is free to name."""
    parts = re.split(r"(\.?[^\W\d]\w*)", code)
    free = [is_name(part) and part[0] != "." and not keyword.iskeyword(part) for part in parts]
    return "".join(f"other_{part}" if is_free else part for part, is_free in zip(parts, free, strict=True))


def test_leak_search_finds_an_answer_in_secants_code_despite_renaming(secrets: Secrets) -> None:
    answers = {task.id: task.answer.source for lesson in LESSONS for task in questions(lesson)}
    found = {name for name, code in answers.items() if secrets.lines_in(renamed(code), is_code=True)}
    assert {task.id for task in questions(LESSONS[-1])} <= found
    # The other answers are a line or two, such as `total += step().item()`, that any code may contain.
    assert len(found) > 0.7 * len(answers)


@pytest.mark.whole
def test_a_wheel_with_an_answer_under_other_names_is_not_packed(
    room: Path, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task,) = (task for task in questions(LESSONS[-1]) if task.id == "value_functions")
    planted = [*wheel._code(), ("secant/checking/extra.py", renamed(task.answer.source).encode())]
    monkeypatch.setattr(wheel, "_code", lambda: planted)
    monkeypatch.setattr("autograder.edition.pack.Secrets", lambda root: secrets)
    with pytest.raises(CourseError, match=r"(?s)Nothing was packed.*extra.py: answer of 10_"):
        pack(room, LANGUAGES, room / "out")
    assert not (room / "out").exists()


def test_leak_search_looks_into_file_names_and_nested_archives(secrets: Secrets) -> None:
    line = next(line for line in secrets.lines.values() if line.kind == "hidden test")
    pair = next(line for line in secrets.shapes.values() if "\n" in line.text)
    inner = make_zip({f"{INSIDE}/a.py": line.text.encode(), "secant/b.py": pair.text.encode()})
    places = {"README.md": line.text.encode(), f"{line.text.replace('/', '')}.md": b"", "x.whl": inner}
    found = {leak.file.split("/", 2)[-1] for leak in secrets.leaks(make_zip(places))}
    assert len(found) == len({leak.file for leak in secrets.leaks(make_zip(places))}) >= 4
    assert (
        secrets.leaks(make_zip({"x.whl": make_zip({"secant/b.py": line.text.encode()})})) == []
    )  # Secant's code may contain one such line by chance


@pytest.mark.parametrize(
    "place", ["release/en/01_steps/data/notes.txt", "release/ko/01_steps/01_steps.ipynb"]
)
def test_release_that_contains_an_answer_is_not_packed(room: Path, place: str) -> None:
    path, (hidden, *_) = room / place, Secrets(room).lines.values()
    if path.suffix == ".ipynb":
        notebook = nbformat.v4.reads(path.read_text())
        notebook.cells.append(nbformat.v4.new_code_cell(hidden.text))
        path.write_text(nbformat.v4.writes(notebook))
    else:
        path.write_text(f"Do not forget: {hidden.text}")
    with pytest.raises(CourseError, match=r"(?s)Nothing was packed.*" + path.name):
        pack(room, LANGUAGES, room / "out")
    assert not (room / "out").exists()


def test_edition_does_not_contain_the_class_settings(room: Path) -> None:
    for name in ("nbgrader_config.py", "nbgrader_config_local.py"):
        with (room / name).open("a") as file:
            file.write("c.CourseDirectory.db_url = 'postgresql://teacher:secret@host/grades'\n")
    (room / "gradebook.db").write_bytes(b"grades")
    hand_in(room, "ann", "{}")
    made = make_edition(room, LANGUAGES)
    assert [
        name for name, data in every_file(made) if b"teacher:secret" in data or "ann" in name.split("/")
    ] == []


# --- Contents ---


def test_report_links_of_an_edition_lead_to_the_class_address(room: Path) -> None:
    (room / "nbgrader_config_local.py").write_text(
        'c = get_config()\nc.Secant.problems = "https://example.org/class/issues"\n'
    )
    with pytest.raises(CourseError, match=r"older than c\.Secant\.problems: release the lessons again"):
        pack(room, ["en"], room / "handout")
    build(room, find_lessons(room))
    data = make_edition(room, ["en"])
    wheel = zipfile.ZipFile(io.BytesIO(wheel_of(data)))
    (about,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/METADATA"))
    assert "Project-URL: Issues, https://example.org/class/issues\n" in about
    assert f"Project-URL: Repository, {urls()['Repository']}\n" in about
    (lesson,) = (name for name in names(data) if name.endswith(".ipynb"))
    assert b"(https://example.org/class/issues/new?title=" in zipfile.ZipFile(io.BytesIO(data)).read(lesson)


@pytest.mark.parametrize(("languages", "of"), [(["en"], "en"), (["ko"], "ko"), (["en", "ko"], "both")])
def test_edition_holds_lessons_wheel_and_readmes(room: Path, languages: list[Language], of: str) -> None:
    packed = pack(room, languages, room / "out")
    assert packed.path.name.startswith(f"secant-class-{of}-")
    data = packed.path.read_bytes()
    found = {name.removeprefix("secant-class/") for name in names(data)}
    wheel = next(name for name in found if name.endswith(".whl"))
    extra = {f"README.{language}.md" for language in languages[1:]}
    lessons = {name for name in found if name.startswith("lessons/")}
    assert found - lessons == {"README.md", wheel} | extra
    assert {name.split("/")[1] for name in lessons} == set(languages)
    for name in lessons:
        inside = f"{INSIDE}/release/{name.removeprefix('lessons/')}"
        released = room / "release" / name.removeprefix("lessons/")
        with zipfile.ZipFile(io.BytesIO(wheel_of(data))) as opened, zipfile.ZipFile(packed.path) as outer:
            assert outer.read(f"secant-class/{name}") == opened.read(inside)
            given = opened.read(inside)
        if not name.endswith(".ipynb"):
            assert given == released.read_bytes()
            continue
        whole = nbformat.v4.reads(released.read_text("utf-8"))
        assert is_installer(whole.cells.pop(0))  # left out: it would install the package with the answers
        assert nbformat.v4.reads(given.decode()) == whole
    readme = zipfile.ZipFile(packed.path).read("secant-class/README.md").decode()
    assert readme.startswith("# Secant: 우리 반" if languages[0] == "ko" else "# Secant: your class")
    assert readme.count(f"pip install ./{wheel}\n") == 2


@pytest.mark.whole
def test_the_same_course_makes_the_same_zip_and_another_one_another_name(room: Path) -> None:
    first = pack(room, LANGUAGES, room / "out")
    assert pack(room, LANGUAGES, room / "out").path == first.path
    more = [room / folder / "01_steps/data/more.txt" for folder in ("source", "release/en")]
    for file in more:
        file.parent.mkdir(exist_ok=True)
        file.write_text("more")
    second = pack(room, LANGUAGES, room / "out")
    assert second.path != first.path
    wheels = [next(n for n in names(p.path.read_bytes()) if n.endswith(".whl")) for p in (first, second)]
    assert wheels[0] != wheels[1]  # so that pip replaces the old wheel with the new one
    first.path.write_bytes(b"my own")
    for file in more:
        file.unlink()
    with pytest.raises(CourseError, match="exists already with other contents"):
        pack(room, LANGUAGES, room / "out")
    assert first.path.read_bytes() == b"my own"


def test_the_wheel_names_and_hashes_each_of_its_files(edition: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(wheel_of(edition))) as wheel:
        (record,) = (name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
        rows = list(csv.reader(wheel.read(record).decode().splitlines()))
        assert {row[0] for row in rows} == set(wheel.namelist())
        assert all(int(row[2]) == wheel.getinfo(row[0]).file_size for row in rows if row[0] != record)


def test_edition_packed_from_an_edition_has_one_version_suffix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.edition.wheel.version", lambda: "1.2+class.r0")
    assert re.fullmatch(r"secant-1\.2\+class\.r[0-9a-f]{8}-py3-none-any\.whl", make_wheel({})[0])


def test_pack_of_unreleased_lessons_is_refused(room: Path) -> None:
    shutil.rmtree(room / "release/ko")
    with pytest.raises(CourseError, match=f"release/ko does not hold {STEPS}: run `autograder build`"):
        pack(room, LANGUAGES, room / "out")
    shutil.rmtree(room / "source")
    with pytest.raises(CourseError, match="There is no lesson"):
        pack(room, ["en"], room / "out")


@pytest.mark.whole
@pytest.mark.slow
def test_work_from_a_class_edition_is_graded_with_hidden_tests(room: Path) -> None:
    data = make_edition(room, ["ko"])
    released = zipfile.ZipFile(io.BytesIO(data)).read(f"secant-class/lessons/ko/{STEPS}/{STEPS}.ipynb")
    # This answer passes the visible test and fails the hidden one.
    answers = solutions(room) | {"double": "def double(x):\n    return 6.0"}
    hand_in(room, "kim", with_answers(nbformat.v4.reads(released.decode()), answers))
    summary, _ = run(room, Here())
    (row,) = summary.rows()
    found = {task["id"]: (task["outcome"], task["points"]) for task in row["tasks"]}
    assert (found["double"], found["Counter"]) == (("wrong", 0.0), ("passed", 3.0))


# --- Only the build's files ---


@pytest.mark.parametrize("foreign", ["answered", "graded", "table"])
def test_notebook_of_a_student_in_the_place_of_a_release_is_refused(room: Path, foreign: str) -> None:
    path = room / "release" / "en" / STEPS / f"{STEPS}.ipynb"
    notebook = nbformat.v4.reads(path.read_text(encoding="utf-8"))
    if foreign == "answered":
        next(
            cell for cell in notebook.cells if is_answer(cell)
        ).source = "def double(x):\n    return 42  # Zoe"
    if foreign == "graded":
        code = next(cell for cell in notebook.cells if cell.cell_type == "code")
        code.outputs = [nbformat.v4.new_output("stream", text="Zoe: 4 of 10")]
    path.write_text("id,grade\nZoe,4\n" if foreign == "table" else nbformat.v4.writes(notebook))
    with pytest.raises(CourseError, match=r"Nothing was packed: .*Build the lessons again"):
        pack(room, ["en"], room / "out")
    assert not (room / "out").exists()


@pytest.mark.parametrize("place", ["grades.csv", "data/points.json", f"{STEPS}_answers.ipynb"])
def test_unexpected_file_next_to_a_released_lesson_stops_packing(room: Path, place: str) -> None:
    file = room / "release" / "en" / STEPS / place
    file.parent.mkdir(exist_ok=True)
    file.write_text("student,points\nann,3\n")
    with pytest.raises(CourseError, match=re.escape(str(file))):
        pack(room, ["en"], room / "out")
    assert not (room / "out").exists()


def test_file_that_the_build_copied_is_packed(room: Path) -> None:
    for folder in ("source", "release/en"):
        (room / folder / STEPS / "data.csv").write_text("x,y\n")
    assert any(name.endswith("data.csv") for name in names(make_edition(room, ["en"])))


def test_release_folder_of_an_unknown_lesson_is_not_packed(room: Path) -> None:
    strange = room / "release" / "en" / "99_grades"
    strange.mkdir()
    shutil.copy(room / "release" / "en" / STEPS / f"{STEPS}.ipynb", strange / "99_grades.ipynb")
    assert not any("99_grades" in name for name in names(make_edition(room, ["en"])))
