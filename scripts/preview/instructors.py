"""Make the site's page for instructors, with the reports on the demo's class."""

import shutil
import tempfile
from pathlib import Path

from nbconvert.filters.markdown_mistune import MarkdownWithMath

from autograder.course.lesson import choose_lessons, find_lessons
from autograder.report.write import COURSE, page_name
from scripts.demo.__main__ import LESSONS, ROOT, grade_class, run, typical_student
from scripts.preview.render import HERE, PageRenderer, common_values, render
from secant.language import Language, language

#: The name of the subfolder, in each language's folder, for the reports and the feedback page of the demo's
#: class.
FOLDER = "class"
PLACE = "<!-- class -->"


def write_class(out: Path, languages: tuple[Language, ...]) -> None:
    """Grade the demo's class, and write its reports and one student's feedback into out/LANGUAGE/class.

    Raises:
        DemoError: if the class could not be graded; the reason has been printed.
    """
    lessons = choose_lessons(find_lessons(ROOT), list(LESSONS))
    with tempfile.TemporaryDirectory(prefix="secant-class-") as temporary:
        folder = Path(temporary, "class")
        language("en")
        grading = grade_class(folder, lessons)
        for name in languages:
            language(name)
            place = out / name / FOLDER
            shutil.rmtree(place, ignore_errors=True)
            for lesson in ([lessons[0].name[:2]], []):
                run(folder, "report", *lesson, "--lang", name, "--out", str(place))
            student = typical_student(grading.rows_of(lessons[0]), grading.students)
            feedback = folder / "feedback" / student / lessons[0].name / f"{lessons[0].name}.html"
            shutil.copyfile(feedback, place / "feedback.html")
            shutil.copyfile(ROOT / "docs" / "images" / f"report-{name}.png", place / "report.png")


def instructors_page(out: Path) -> str:
    """Return the page for instructors in the current language, with links to the reports if they exist."""
    renderer = PageRenderer()
    body = MarkdownWithMath(renderer).render(
        (HERE / f"instructors.{language()}.md").read_text(encoding="utf-8")
    )
    first_name = choose_lessons(find_lessons(ROOT), [LESSONS[0]])[0].name
    report, course = (page_name(name, language()) for name in (first_name, COURSE))
    exists = (out / language() / FOLDER / report).is_file()
    on_class = render("class.html.j2", report=report if exists else "", course=course)
    return render("instructors.html.j2", body=body.replace(PLACE, on_class), **common_values())
