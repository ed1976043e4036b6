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
from tests.support.small_class import STEPS, InProcessWorkers, hand_in, run, solutions

NAMES = [lesson.name for lesson in LESSONS]


@pytest.fixture(scope="module")
def edition() -> bytes:
    """Return our course's class edition in both languages, as the bytes of its zip file."""
    return make_edition(ROOT, LANGUAGES)


@pytest.fixture(scope="module")
def secrets() -> Secrets:
    return Secrets(ROOT)


@pytest.fixture
def course_root(built_course: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built_course, tmp_path / "room"))


def list_names(archive: bytes) -> list[str]:
    return zipfile.ZipFile(io.BytesIO(archive)).namelist()


def read_wheel(archive: bytes) -> bytes:
    (name,) = (name for name in list_names(archive) if name.endswith(".whl"))
    return zipfile.ZipFile(io.BytesIO(archive)).read(name)


def walk_files(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the name and contents of each file in a zip file and in the archives inside it."""
    with zipfile.ZipFile(io.BytesIO(archive)) as zip_file:
        assert zip_file.comment == b""
        for entry in zip_file.infolist():
            assert (entry.comment, entry.extra, entry.date_time[0]) == (b"", b"", 1980)
            data = zip_file.read(entry)
            yield entry.filename, data
            if zipfile.is_zipfile(io.BytesIO(data)):
                yield from walk_files(data)


# --- No answer is given away ---


def test_edition_contains_no_line_of_answers_or_hidden_tests(edition: bytes, secrets: Secrets) -> None:
    kinds = {line.kind for line in secrets.lines.values()}
    assert kinds == {"answer", "hidden test", "worked solution"}
    assert {line.lesson for line in secrets.lines.values()} == set(NAMES)
    assert len(secrets.lines) > 3000
    assert secrets.leaks(edition) == []


def test_edition_contains_no_kind_of_file_that_holds_answers(edition: bytes) -> None:
    """Look for answers as a student would who knows the repository."""
    for name, data in walk_files(edition):
        assert not name.endswith((".pyc", ".db")), name
        assert not any(part in name for part in ("/source/", "answers", "solutions.ipynb", "__pycache__")), (
            name
        )
        assert b"### BEGIN HIDDEN" not in data or name.endswith(".py"), name
        if name.endswith(".ipynb"):
            notebook = nbformat.v4.reads(data.decode())
            answers = [cell.source for cell in filter(is_answer, notebook.cells) if not is_manual(cell)]
            assert answers, name
            assert all("raise NotImplementedError" in source for source in answers), name
            assert "HIDDEN TESTS" not in data.decode(), name
    course_files = [name for name, _ in walk_files(edition) if name.startswith(f"{INSIDE}/course/")]
    assert course_files == [f"{INSIDE}/course/syllabus.toml"]


@pytest.mark.whole
def test_leak_search_finds_every_secret_line_in_any_encoding(secrets: Secrets) -> None:
    lines = [line.text for line in secrets.lines.values()]
    assert min(map(len, lines)) >= SHORTEST
    for text in ("\n".join(lines), json.dumps(lines), json.dumps(lines, ensure_ascii=False)):
        assert len(secrets.lines_in(text)) == len(lines)
    assert all(secrets.lines_in(line) for line in lines), "the text ends with the line"
    shapes = [line.text for line in secrets.shapes.values() if '"""' not in line.text]
    assert {line.text for line in secrets.lines_in("\n".join(shapes), is_code=True)} >= set(shapes)


def rename_identifiers(code: str) -> str:
    """Return code with other names for everything that its writer is free to name."""
    parts = re.split(r"(\.?[^\W\d]\w*)", code)
    renamable = [is_name(part) and part[0] != "." and not keyword.iskeyword(part) for part in parts]
    return "".join(
        f"other_{part}" if is_renamable else part for part, is_renamable in zip(parts, renamable, strict=True)
    )


def test_leak_search_finds_an_answer_in_secants_code_despite_renaming(secrets: Secrets) -> None:
    answers = {task.id: task.answer.source for lesson in LESSONS for task in questions(lesson)}
    found_tasks = {
        name for name, code in answers.items() if secrets.lines_in(rename_identifiers(code), is_code=True)
    }
    assert {task.id for task in questions(LESSONS[-1])} <= found_tasks
    # The answers not found have only a line or two, such as `total += step().item()`, as any code may have.
    assert len(found_tasks) > 0.7 * len(answers)


@pytest.mark.whole
def test_a_wheel_with_an_answer_under_other_names_is_not_packed(
    course_root: Path, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task,) = (task for task in questions(LESSONS[-1]) if task.id == "value_functions")
    files = [*wheel._code(), ("secant/checking/extra.py", rename_identifiers(task.answer.source).encode())]
    monkeypatch.setattr(wheel, "_code", lambda: files)
    monkeypatch.setattr("autograder.edition.pack.Secrets", lambda root: secrets)
    with pytest.raises(CourseError, match=r"(?s)Nothing was packed.*extra.py: answer of 10_"):
        pack(course_root, LANGUAGES, course_root / "out")
    assert not (course_root / "out").exists()


def test_leak_search_looks_into_file_names_and_nested_archives(secrets: Secrets) -> None:
    line = next(line for line in secrets.lines.values() if line.kind == "hidden test")
    pair = next(line for line in secrets.shapes.values() if "\n" in line.text)
    inner_wheel = make_zip({f"{INSIDE}/a.py": line.text.encode(), "secant/b.py": pair.text.encode()})
    files = {"README.md": line.text.encode(), f"{line.text.replace('/', '')}.md": b"", "x.whl": inner_wheel}
    leaked_files = {leak.file.split("/", 2)[-1] for leak in secrets.leaks(make_zip(files))}
    assert len(leaked_files) == len({leak.file for leak in secrets.leaks(make_zip(files))}) >= 4
    assert (
        secrets.leaks(make_zip({"x.whl": make_zip({"secant/b.py": line.text.encode()})})) == []
    )  # Secant's code may contain one such line by chance


@pytest.mark.parametrize(
    "relative_path", ["release/en/01_steps/data/notes.txt", "release/ko/01_steps/01_steps.ipynb"]
)
def test_release_that_contains_an_answer_is_not_packed(course_root: Path, relative_path: str) -> None:
    path, (hidden, *_) = course_root / relative_path, Secrets(course_root).lines.values()
    if path.suffix == ".ipynb":
        notebook = nbformat.v4.reads(path.read_text())
        notebook.cells.append(nbformat.v4.new_code_cell(hidden.text))
        path.write_text(nbformat.v4.writes(notebook))
    else:
        path.write_text(f"Do not forget: {hidden.text}")
    with pytest.raises(CourseError, match=r"(?s)Nothing was packed.*" + path.name):
        pack(course_root, LANGUAGES, course_root / "out")
    assert not (course_root / "out").exists()


def test_edition_does_not_contain_the_class_settings(course_root: Path) -> None:
    for name in ("nbgrader_config.py", "nbgrader_config_local.py"):
        with (course_root / name).open("a") as file:
            file.write("c.CourseDirectory.db_url = 'postgresql://teacher:secret@host/grades'\n")
    (course_root / "gradebook.db").write_bytes(b"grades")
    hand_in(course_root, "ann", "{}")
    archive = make_edition(course_root, LANGUAGES)
    assert [
        name for name, data in walk_files(archive) if b"teacher:secret" in data or "ann" in name.split("/")
    ] == []


# --- Contents ---


def test_report_links_of_an_edition_lead_to_the_class_address(course_root: Path) -> None:
    (course_root / "nbgrader_config_local.py").write_text(
        'c = get_config()\nc.Secant.problems = "https://example.org/class/issues"\n'
    )
    with pytest.raises(CourseError, match=r"older than c\.Secant\.problems: release the lessons again"):
        pack(course_root, ["en"], course_root / "handout")
    build(course_root, find_lessons(course_root))
    data = make_edition(course_root, ["en"])
    wheel = zipfile.ZipFile(io.BytesIO(read_wheel(data)))
    (metadata,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/METADATA"))
    assert "Project-URL: Issues, https://example.org/class/issues\n" in metadata
    assert f"Project-URL: Repository, {urls()['Repository']}\n" in metadata
    (lesson,) = (name for name in list_names(data) if name.endswith(".ipynb"))
    assert b"(https://example.org/class/issues/new?title=" in zipfile.ZipFile(io.BytesIO(data)).read(lesson)


@pytest.mark.parametrize(("languages", "label"), [(["en"], "en"), (["ko"], "ko"), (["en", "ko"], "both")])
def test_edition_holds_lessons_wheel_and_readmes(
    course_root: Path, languages: list[Language], label: str
) -> None:
    result = pack(course_root, languages, course_root / "out")
    assert result.path.name.startswith(f"secant-class-{label}-")
    data = result.path.read_bytes()
    file_names = {name.removeprefix("secant-class/") for name in list_names(data)}
    wheel = next(name for name in file_names if name.endswith(".whl"))
    extra_readmes = {f"README.{language}.md" for language in languages[1:]}
    lessons = {name for name in file_names if name.startswith("lessons/")}
    assert file_names - lessons == {"README.md", wheel} | extra_readmes
    assert {name.split("/")[1] for name in lessons} == set(languages)
    for name in lessons:
        path_in_wheel = f"{INSIDE}/release/{name.removeprefix('lessons/')}"
        release_path = course_root / "release" / name.removeprefix("lessons/")
        with (
            zipfile.ZipFile(io.BytesIO(read_wheel(data))) as wheel_zip,
            zipfile.ZipFile(result.path) as edition_zip,
        ):
            assert edition_zip.read(f"secant-class/{name}") == wheel_zip.read(path_in_wheel)
            packed_data = wheel_zip.read(path_in_wheel)
        if not name.endswith(".ipynb"):
            assert packed_data == release_path.read_bytes()
            continue
        notebook = nbformat.v4.reads(release_path.read_text("utf-8"))
        assert is_installer(notebook.cells.pop(0))  # left out: it would install the package with the answers
        assert nbformat.v4.reads(packed_data.decode()) == notebook
    readme = zipfile.ZipFile(result.path).read("secant-class/README.md").decode()
    assert readme.startswith("# Secant: 우리 반" if languages[0] == "ko" else "# Secant: your class")
    assert readme.count(f"pip install ./{wheel}\n") == 2


@pytest.mark.whole
def test_zip_has_another_name_only_if_the_course_has_changed(course_root: Path) -> None:
    first = pack(course_root, LANGUAGES, course_root / "out")
    assert pack(course_root, LANGUAGES, course_root / "out").path == first.path
    extra_files = [course_root / folder / "01_steps/data/more.txt" for folder in ("source", "release/en")]
    for file in extra_files:
        file.parent.mkdir(exist_ok=True)
        file.write_text("more")
    second = pack(course_root, LANGUAGES, course_root / "out")
    assert second.path != first.path
    wheels = [
        next(name for name in list_names(result.path.read_bytes()) if name.endswith(".whl"))
        for result in (first, second)
    ]
    assert wheels[0] != wheels[1]  # so that pip replaces the old wheel with the new one
    first.path.write_bytes(b"my own")
    for file in extra_files:
        file.unlink()
    with pytest.raises(CourseError, match="exists already with other contents"):
        pack(course_root, LANGUAGES, course_root / "out")
    assert first.path.read_bytes() == b"my own"


def test_the_wheel_names_and_hashes_each_of_its_files(edition: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(read_wheel(edition))) as wheel:
        (record,) = (name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
        rows = list(csv.reader(wheel.read(record).decode().splitlines()))
        assert {row[0] for row in rows} == set(wheel.namelist()) > {"secant/__init__.py", "autograder/cli.py"}
        assert all(int(row[2]) == wheel.getinfo(row[0]).file_size for row in rows if row[0] != record)


def test_edition_packed_from_an_edition_has_one_version_suffix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.edition.wheel.version", lambda: "1.2+class.r0")
    assert re.fullmatch(r"secant-1\.2\+class\.r[0-9a-f]{8}-py3-none-any\.whl", make_wheel({})[0])


def test_pack_of_unreleased_lessons_is_refused(course_root: Path) -> None:
    shutil.rmtree(course_root / "release/ko")
    with pytest.raises(CourseError, match=f"release/ko does not hold {STEPS}: run `autograder build`"):
        pack(course_root, LANGUAGES, course_root / "out")
    shutil.rmtree(course_root / "source")
    with pytest.raises(CourseError, match="There is no lesson"):
        pack(course_root, ["en"], course_root / "out")


@pytest.mark.whole
@pytest.mark.slow
def test_work_from_a_class_edition_is_graded_with_hidden_tests(course_root: Path) -> None:
    data = make_edition(course_root, ["ko"])
    notebook_data = zipfile.ZipFile(io.BytesIO(data)).read(f"secant-class/lessons/ko/{STEPS}/{STEPS}.ipynb")
    # This answer passes the visible test and fails the hidden one.
    answers = solutions(course_root) | {"double": "def double(x):\n    return 6.0"}
    hand_in(course_root, "kim", with_answers(nbformat.v4.reads(notebook_data.decode()), answers))
    summary, _ = run(course_root, InProcessWorkers())
    (row,) = summary.rows()
    task_results = {task["id"]: (task["outcome"], task["points"]) for task in row["tasks"]}
    assert (task_results["double"], task_results["Counter"]) == (("wrong", 0.0), ("passed", 3.0))


# --- Only the build's files ---


@pytest.mark.parametrize("kind", ["answered", "graded", "table"])
def test_notebook_of_a_student_in_the_place_of_a_release_is_refused(course_root: Path, kind: str) -> None:
    path = course_root / "release" / "en" / STEPS / f"{STEPS}.ipynb"
    notebook = nbformat.v4.reads(path.read_text(encoding="utf-8"))
    if kind == "answered":
        next(
            cell for cell in notebook.cells if is_answer(cell)
        ).source = "def double(x):\n    return 42  # Zoe"
    if kind == "graded":
        code = next(cell for cell in notebook.cells if cell.cell_type == "code")
        code.outputs = [nbformat.v4.new_output("stream", text="Zoe: 4 of 10")]
    path.write_text("id,grade\nZoe,4\n" if kind == "table" else nbformat.v4.writes(notebook))
    with pytest.raises(CourseError, match=r"Nothing was packed: .*Build the lessons again"):
        pack(course_root, ["en"], course_root / "out")
    assert not (course_root / "out").exists()


@pytest.mark.parametrize("relative_path", ["grades.csv", "data/points.json", f"{STEPS}_answers.ipynb"])
def test_unexpected_file_next_to_a_released_lesson_stops_packing(
    course_root: Path, relative_path: str
) -> None:
    file = course_root / "release" / "en" / STEPS / relative_path
    file.parent.mkdir(exist_ok=True)
    file.write_text("student,points\nann,3\n")
    with pytest.raises(CourseError, match=re.escape(str(file))):
        pack(course_root, ["en"], course_root / "out")
    assert not (course_root / "out").exists()


def test_file_that_the_build_copied_is_packed(course_root: Path) -> None:
    for folder in ("source", "release/en"):
        (course_root / folder / STEPS / "data.csv").write_text("x,y\n")
    assert any(name.endswith("data.csv") for name in list_names(make_edition(course_root, ["en"])))


def test_release_folder_of_an_unknown_lesson_is_not_packed(course_root: Path) -> None:
    folder = course_root / "release" / "en" / "99_grades"
    folder.mkdir()
    shutil.copy(course_root / "release" / "en" / STEPS / f"{STEPS}.ipynb", folder / "99_grades.ipynb")
    assert not any("99_grades" in name for name in list_names(make_edition(course_root, ["en"])))
