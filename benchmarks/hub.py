"""Measure how much memory a learner needs on the JupyterHub of deploy/hub, and how much forty learners need.

Each learner has a server and a kernel in which lesson 1's answers have run, and has just checked the
notebook. Memory is measured at that point, and again after the idle checkers (the processes that ran the
checks) have ended. Memory that processes share is divided among them (PSS, the proportional set size). The
figure for one learner is the memory that each additional learner adds; the figure for forty learners is forty
times as large. The benchmark must run as root, because it starts processes of several users.

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
from tests.support.processes import command, pids_of_users
from tests.support.small_class import solutions

IDLE_MINUTES = "0.75"  # minutes after which an idle checker ends; all checks are run and measured before that
FEW, CLASS = 2, 40
_MEGABYTE = 2**20


def processes(users: list[User]) -> list[int]:
    """Return the ids of the processes of these users."""
    return pids_of_users({user.uid for user in users})


def megabytes(users: list[User]) -> float:
    """Return the memory of all the users' processes in megabytes, with shared memory divided among them."""
    return sum(sum_fields(f"/proc/{pid}/smaps_rollup", ("Pss:",)) for pid in processes(users)) / _MEGABYTE


def work(running_hub: Hub, user: User) -> None:
    """Start a kernel on the user's server and run the lesson's answers in it."""
    (user.home / LESSON).mkdir(exist_ok=True)
    os.chown(user.home / LESSON, user.uid, -1)
    running_hub.save(user, {})
    number = json.loads(running_hub.visit(user, "api/kernels", {"name": "python3"})[1])["id"]
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


def check(running_hub: Hub, user: User) -> None:
    """Check the user's notebook and make sure that the check runs to its end."""
    end = running_hub.check(user, f"{LESSON}/{LESSON}.ipynb")[-1]
    assert end["event"] == "end", end


def checkers(users: list[User]) -> list[int]:
    """Return the ids of the users' templates, kernels and notebook checkers, which all run template.py."""
    return [pid for pid in processes(users) if "template.py" in command(pid)]


def measure_memory(users: list[User]) -> tuple[float, float]:
    """Return the megabytes that these users need while their checkers run, and after the checkers end."""
    megabytes_while_checking = megabytes(users)
    deadline = time.monotonic() + float(IDLE_MINUTES) * 60 + 30
    # Wait only for the checkers to end. Two other processes of each user, the template and the kernel, keep
    # running.
    while len(checkers(users)) > 2 * len(users) and time.monotonic() < deadline:
        time.sleep(1)
    return megabytes_while_checking, megabytes(users)


def rows(learners: int) -> list[dict[str, Any]]:
    """Run the measurements and return the benchmark's table rows."""
    accounts = sorted((user.pw_uid, user.pw_name) for user in pwd.getpwall() if 0 < user.pw_uid < 60_000)
    names = [name for _, name in accounts[2 : 3 + learners]]
    figures = []
    with hub(names, SECANT_IDLE_MINUTES=IDLE_MINUTES) as running_hub:
        users: list[User] = []
        for user_count in (FEW, learners):
            new_users = [running_hub.begin(name) for name in names[len(users) : user_count]]
            for user in new_users:
                running_hub.wait(user)
                work(running_hub, user)
            users += new_users
            for user in users:
                check(running_hub, user)
            figures.append(measure_memory(users))
    few_learners, all_learners = figures
    checking, idle = (
        (after - before) / (learners - FEW) for before, after in zip(few_learners, all_learners, strict=True)
    )
    return [
        row("hub, a learner who checks", checking, unit="MB"),
        row("hub, a learner whose checker has ended", idle, unit="MB"),
        row(f"hub, {CLASS} learners who check", CLASS * checking / 1024, unit="GB"),
        row(f"hub, {CLASS} learners whose checkers have ended", CLASS * idle / 1024, unit="GB"),
    ]


def main() -> None:
    """Run the benchmark with the options from the command line."""
    parser = parser_of(__doc__)
    parser.add_argument("--learners", type=int, default=6, help="how many are started")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("only root can start a hub for several users")
    show(rows(arguments.learners), arguments.json)


if __name__ == "__main__":
    main()
