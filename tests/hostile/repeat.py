"""Grade one submission many times: `python -m tests.hostile.repeat 50` counts the different results."""

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from autograder.intake.take_in import take_in
from autograder.sandbox.wall import Wall
from tests.hostile.cases import write
from tests.hostile.world import LESSON, RIGHT, World
from tests.support.examined import examine_submission

#: One of these answers is random, so it may be right or wrong, and its message contains numbers.
LUCKY = {**RIGHT, "slope_at": "def slope_at(x):\n    import random\n    return random.random() * x"}


def main(times: int) -> int:
    """Grade the submission this many times, and print and return how many different results there were."""
    with tempfile.TemporaryDirectory() as name, Wall() as wall:
        world = World.create(Path(name) / "world")
        write(world.notebook(LUCKY), Path(name) / "one")
        results = set()
        for _ in range(times):
            report = examine_submission(
                world.examiner, wall, take_in(Path(name) / "one", LESSON, world.releases), b"of the class"
            )
            results.add(json.dumps([asdict(task) | {"seconds": 0} for task in report.tasks]))
    print(f"{times} gradings, {len(results)} result{'s' * (len(results) != 1)}")
    return len(results)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50) != 1)
