"""Find the notebook that a learner specifies by a path, a folder with one notebook, or a lesson number."""

from pathlib import Path

from autograder.course.assignment import is_named_like_folder
from autograder.course.errors import CourseError
from secant.language import say


def find_notebook(word: str, current: Path) -> Path:
    """Return the notebook that a word on the command line refers to.

    Args:
        word: the path of a notebook or a folder, or a lesson's number such as 3 or 03.
        current: the current folder, which may be a lesson's folder or the folder that contains all lessons.

    Raises:
        CourseError: no notebook matches the word, or several do.
    """
    path = current / word
    if word.isdecimal() and not path.exists():
        path = _folder(int(word), current)
    if not path.is_dir():
        if not path.exists():
            raise CourseError(say(en=f"There is no {word}.", ko=f"{word}: 없는 파일이나 폴더입니다."))
        return path
    notebooks = sorted(p for p in path.resolve().glob("*.ipynb") if not p.name.startswith("."))
    candidates = [p for p in notebooks if is_named_like_folder(p)] or notebooks
    if len(candidates) != 1:
        raise _ambiguity_error(path.resolve(), candidates)
    return candidates[0]


def _folder(number: int, current: Path) -> Path:
    current = current.resolve()
    prefix = f"{number:02}_"
    folders = [
        p for p in (current, *sorted(current.glob(f"{prefix}*"))) if p.name.startswith(prefix) and p.is_dir()
    ]
    if not folders:
        raise CourseError(
            say(
                en=f"There is no folder of lesson {number} in {current}. Go to the folder with your lessons "
                "(secant-lessons/en in your home folder, or workspace/en in the repository), or name the "
                "lesson's folder: autograder check FOLDER",
                ko=f"{current}에 수업 {number} 폴더가 없습니다. 수업 파일이 있는 폴더"
                "(홈 폴더의 secant-lessons/ko, 저장소에서는 workspace/ko)로 가거나, "
                "수업 폴더를 직접 지정하세요: autograder check 폴더",
            )
        )
    return folders[0]


def _ambiguity_error(folder: Path, notebooks: list[Path]) -> CourseError:
    if not notebooks:
        return CourseError(
            say(
                en=f"There is no notebook in {folder}. Go to the folder with your lessons and name one by "
                "its number, such as: autograder check 3",
                ko=f"{folder}에 노트북이 없습니다. 수업 파일이 있는 폴더로 가서 "
                "번호로 지정하세요. 예: autograder check 3",
            )
        )
    names = ", ".join(path.name for path in notebooks)
    return CourseError(
        say(
            en=f"There are several notebooks in {folder}: {names}. Name the one to check.",
            ko=f"{folder}에 노트북이 여러 개 있습니다. 확인할 것 하나를 지정하세요: {names}",
        )
    )
