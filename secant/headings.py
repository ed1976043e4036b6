"""Titles of tasks, from the headings in a lesson's Markdown."""


def task_heading(markdown: str) -> str | None:
    """Return a Markdown cell's last task heading (the title of the cells below), or None if there is none."""
    headings = [line for line in markdown.splitlines() if line.startswith("## ")]
    return headings[-1].removeprefix("## ").replace("`", "") if headings else None
