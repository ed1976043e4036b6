"""How a lesson's Markdown titles its tasks."""


def task_heading(markdown: str) -> str | None:
    """Return the last heading of a task in a cell of text, which titles the cells below it; None for none."""
    headings = [line for line in markdown.splitlines() if line.startswith("## ")]
    return headings[-1].removeprefix("## ").replace("`", "") if headings else None
