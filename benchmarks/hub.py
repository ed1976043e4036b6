"""What a learner costs in memory on a JupyterHub of deploy/hub, and what forty do.

Each learner has a server, a kernel in which lesson 1's answers have run, and has just checked the notebook;
then the checkers end, since they are idle. A page that processes share is counted once (PSS): the figure of a
learner is what each further one adds. Only root can become so many users.

    python -m benchmarks.hub [--learners N] [--json FILE]
"""

import json
import os
import pwd
import time
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient

from autograder.sandbox.inside.processes import sum_fields
from benchmarks.rows import parser_of, row, show
from tests.support.hub import LESSON, Hub, User, hub
from tests.support.lessons import ROOT
from tests.support.processes import command, of_users
from tests.support.small_class import solutions

IDLE_MINUTES = "0.75"  # all checks are over, and measured, within that
FEW, CLASS = 2, 40
_MEGABYTE = 2**20


def processes(users: list[User]) -> list[int]:
    """The processes of these users."""
    return of_users({user.uid for user in users})


def megabytes(users: list[User]) -> float:
    """The memory of all that they run; what processes share is divided among them."""
    return sum(sum_fields(f"/proc/{pid}/smaps_rollup", ("Pss:",)) for pid in processes(users)) / _MEGABYTE


def work(started: Hub, user: User) -> None:
    """Run the lesson's answers in a kernel."""
    (user.home / LESSON).mkdir(exist_ok=True)
    os.chown(user.home / LESSON, user.uid, -1)
    started.save(user, {})
    number = json.loads(started.visit(user, "api/kernels", {"name": "python3"})[1])["id"]
    (file,) = user.home.rglob(f"kernel-{number}.json")
    client = BlockingKernelClient(connection_file=str(file))
    client.load_connection_file()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    for source in (
        "import torch, secant\nimport matplotlib.pyplot as plt",
        *solutions(ROOT, LESSON).values(),
    ):
        client.execute_interactive(source, timeout=60)
    client.execute_interactive("x = torch.ones(3, requires_grad=True); x.sum().backward()", timeout=60)
    client.stop_channels()


def check(started: Hub, user: User) -> None:
    """Check the notebook."""
    end = started.checked(user, f"{LESSON}/{LESSON}.ipynb")[-1]
    assert end["event"] == "end", end


def checkers(users: list[User]) -> list[int]:
    """The processes below each learner's template, which are kernels and checkers."""
    return [pid for pid in processes(users) if "template.py" in command(pid)]


def measured(users: list[User]) -> tuple[float, float]:
    """The megabytes of these users with their checkers, and once these have ended."""
    checked = megabytes(users)
    until = time.monotonic() + float(IDLE_MINUTES) * 60 + 30
    while len(checkers(users)) > 2 * len(users) and time.monotonic() < until:  # a template and a kernel each
        time.sleep(1)
    return checked, megabytes(users)


def rows(learners: int) -> list[dict[str, Any]]:
    """Measure, and return the rows."""
    known = sorted((user.pw_uid, user.pw_name) for user in pwd.getpwall() if 0 < user.pw_uid < 60_000)
    names = [name for _, name in known[2 : 3 + learners]]
    found = []
    with hub(names, SECANT_IDLE_MINUTES=IDLE_MINUTES) as started:
        users: list[User] = []
        for many in (FEW, learners):
            new = [started.begin(name) for name in names[len(users) : many]]
            for user in new:
                started.wait(user)
                work(started, user)
            users += new
            for user in users:
                check(started, user)
            found.append(measured(users))
    few, more = found
    checked, idle = ((after - before) / (learners - FEW) for before, after in zip(few, more, strict=True))
    return [
        row("hub, a learner who checks", checked, unit="MB"),
        row("hub, a learner whose checker has ended", idle, unit="MB"),
        row(f"hub, {CLASS} learners who check", CLASS * checked / 1024, unit="GB"),
        row(f"hub, {CLASS} learners whose checkers have ended", CLASS * idle / 1024, unit="GB"),
    ]


def main() -> None:
    """Measure and show; see the module."""
    parser = parser_of(__doc__)
    parser.add_argument("--learners", type=int, default=6, help="how many are started")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("only root can start a hub for several users")
    show(rows(arguments.learners), arguments.json)


if __name__ == "__main__":
    main()
