"""Make the notebook that staff see for a submission of a plain assignment (with ordinary nbgrader tests).

Cells that students must not edit are taken from the assignment, and all other cells from the submission. The
autograder makes all outputs from the text that a cell printed during grading and from the pictures in the
submission.
"""

import base64
import mimetypes
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from nbformat import NotebookNode, from_dict, v4
from nbgrader.utils import compute_checksum

from autograder.course.cells import grade_id, grading
from autograder.course.plain import PlainCell, PlainSource
from autograder.gradebook.result import GradedTask, Result
from autograder.grading.feedback import choose_colours, clip_lines, output, outputs_of
from autograder.intake.files import PICTURES
from autograder.intake.notes import Sources, is_plain, split
from autograder.intake.parse import Cell
from autograder.intake.pictures import output_of
from autograder.page.prose import as_typed_markdown, parts_as_markdown
from secant.language import Language
from secant.visible import visible

_ATTACHMENT = re.compile(r"""(?<=[(<"'])attachment:([^)>"'\s]+)|(?<=\]:\s)attachment:(\S+)""")
# Matches an image in Markdown or HTML whose address is a path.
_LINKED = re.compile(r"""(?P<before>!\[[^\]]*\]\(|<img\b[^>]*?\bsrc=["'])(?P<path>[^)"'\s:]+)""")
# Maximum size in bytes of a linked picture. Every student's page contains a copy of the picture.
_MAX_LINKED_BYTES = 1_000_000
_KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


@dataclass(frozen=True)
class AssignmentNotebook:
    """A notebook of a plain assignment, prepared for combining with a submitted notebook.

    Attributes:
        source: the cells that have nbgrader metadata, as parsed for grading.
        notebook: the instructor's complete notebook, as a notebook node.
        language: the language of the messages about pictures that cannot be shown.
        files: the contents of the assignment's files, keyed by path.
    """

    source: PlainSource
    notebook: NotebookNode
    language: Language
    files: Mapping[str, bytes]

    @cached_property
    def cells(self) -> Mapping[str, PlainCell]:
        """The cells that have nbgrader metadata, keyed by grade_id."""
        return {cell.id: cell for cell in self.source.cells}

    @cached_property
    def metadata(self) -> Mapping[str, Mapping[str, Mapping[str, object]]]:
        """The nbgrader metadata of cells, keyed by grade_id. For locked cells, it includes the checksum."""
        metadata = {}
        for cell in self.notebook.cells:
            if grade_id(cell) in self.cells:
                marks = {"nbgrader": dict(grading(cell))}
                source_cell = self.cells[grade_id(cell)]
                if source_cell.is_restored:
                    kind = "code" if source_cell.is_code else "markdown"
                    node = from_dict({"cell_type": kind, "source": source_cell.source, "metadata": marks})
                    marks["nbgrader"]["checksum"] = compute_checksum(node)
                metadata[grade_id(cell)] = marks
        return metadata

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The instructor's text cells with pictures embedded in them, keyed by the cell's original text."""
        cells = (cell for cell in self.notebook.cells if cell.cell_type == "markdown")
        return {
            cell.source: _with_linked_pictures(
                _with_attachments(cell.source, cell.get("attachments", {})), self.files
            )
            for cell in cells
        }


def staff_notebook(
    submitted: Sequence[Cell],
    assignment: AssignmentNotebook,
    name: str,
    result: Result,
    files: Mapping[str, bytes],
) -> NotebookNode:
    """Return the notebook for staff: the submitted cells, with the results and pictures as outputs.

    The pictures in the student's text cells are raw data that still has to be decoded safely; see
    `autograder.page.pictures`.

    Args:
        submitted: the submitted cells.
        assignment: the notebook of the assignment.
        name: the notebook's name within the assignment.
        result: the result of the submission.
        files: the contents of the student's files in the notebook's folder, keyed by path.
    """
    tasks = {task.cell: task for task in result.tasks if task.notebook == name}
    cells_by_index = {
        cell_output.place: cell_output.cell for cell_output in result.cells if cell_output.notebook == name
    }
    picture_files = {path: data for path, data in files.items() if path.lower().endswith(PICTURES)}
    cells: list[NotebookNode] = []
    pictures = 0
    for index, cell in enumerate(submitted):
        source_cell = assignment.cells.get(cell.grade_id)
        node = _cell(cell, source_cell, assignment, index)
        cells.append(node)
        if source_cell is not None and source_cell.kind == "test":
            node.outputs = _test_outputs(tasks[source_cell.id])
        elif node.cell_type == "code":
            own_pictures = (
                []
                if source_cell is not None and source_cell.is_restored
                else list(map(output_of, cell.pictures))
            )
            node.outputs = (
                outputs_of(cells_by_index[index]) if index in cells_by_index else []
            ) + own_pictures
        elif source_cell.is_restored if source_cell is not None else cell.source in assignment.texts:
            node.source = assignment.texts.get(node.source, node.source)
        else:
            parts = split([cell], Sources(picture_files, cell.attachments))
            plain_content = as_typed_markdown(cell.source), dict[str, dict[str, str]]()
            node.source, attachments = (
                plain_content
                if is_plain(parts)
                else parts_as_markdown(parts, assignment.language, pictures + 1)
            )
            pictures += len(attachments)
            if attachments:
                node.attachments = attachments
    notebook = NotebookNode(
        cells=cells,
        metadata=NotebookNode(kernelspec=NotebookNode(_KERNEL)),
        nbformat=v4.nbformat,
        nbformat_minor=v4.nbformat_minor,
    )
    choose_colours(notebook)
    if result.flags:
        notebook.metadata["autograder"] = {"flags": list(result.flags)}
    return notebook


def _cell(
    cell: Cell, source_cell: PlainCell | None, assignment: AssignmentNotebook, index: int
) -> NotebookNode:
    """Return a submitted cell as a notebook node; type, metadata and locked text come from the assignment."""
    is_code = cell.kind == "code" if source_cell is None else source_cell.is_code
    is_locked = source_cell is not None and source_cell.is_restored
    source = source_cell.source if source_cell is not None and is_locked else cell.source
    if is_code and not is_locked:
        # The code is shortened for readers only. The full code ran, and submitted/ still contains it.
        source = clip_lines(visible(source))
    metadata = {} if source_cell is None else assignment.metadata[source_cell.id]
    # The node is made as nbformat's `new_code_cell` and `new_markdown_cell` make it, but without their slow
    # validation against a schema.
    node = NotebookNode(id=f"cell-{index}", metadata=from_dict(metadata), source=source)
    if is_code:
        node |= NotebookNode(cell_type="code", execution_count=None, outputs=[])
    else:
        node |= NotebookNode(cell_type="markdown")
    return node


def _with_attachments(source: str, attachments: Mapping[str, Mapping[str, str]]) -> str:
    """Return an instructor's text in which data URLs replace the links to attached pictures.

    The notebook's attachments are reserved for the student's pictures; these are decoded in the sandbox. A
    link to an attachment that does not exist becomes "#", because nbconvert would fail on it.
    """

    def address(link: re.Match[str]) -> str:
        bundle = attachments.get(unquote(link[1] or link[2]), {})
        return next((f"data:{kind};base64,{data}" for kind, data in bundle.items()), "#")

    return _ATTACHMENT.sub(address, source)


def _with_linked_pictures(source: str, files: Mapping[str, bytes]) -> str:
    """Return an instructor's text in which data URLs replace the links to the assignment's pictures.

    A feedback page shows no files from its folder, because a student may have put them there.
    """

    def embed(link: re.Match[str]) -> str:
        path = posixpath.normpath(unquote(link["path"]))
        kind = mimetypes.guess_type(path)[0] or ""
        data = files.get(path, b"")
        if not data or len(data) > _MAX_LINKED_BYTES or not kind.startswith("image/"):
            return link[0]
        return f"{link['before']}data:{kind};base64,{base64.b64encode(data).decode()}"

    return _LINKED.sub(embed, source)


def _test_outputs(task: GradedTask) -> list[NotebookNode]:
    """Return the outputs of a test cell, which state the test's result; empty if the test passed."""
    if task.outcome == "passed":
        return []
    if task.outcome == "wrong" and task.points:
        return [output("stream", name="stdout", text=f"{task.points:g} of {task.max_points:g} points\n")]
    lines = task.message.split("\n")
    # HideTests leaves an error named CheckFailed unchanged, because its traceback contains no stack frames.
    return [output("error", ename="CheckFailed", evalue=lines[0], traceback=lines)]
