"""Titles of tasks, from the headings in a lesson's Markdown."""


def task_heading(markdown: str) -> str | None:
    """Return the last task heading in a Markdown cell, or None. It is the title of the cells below."""
    headings = [line for line in markdown.splitlines() if line.startswith("## ")]
    return headings[-1].removeprefix("## ").replace("`", "") if headings else None
