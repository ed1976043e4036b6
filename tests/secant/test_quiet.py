"""Tests of a silenced thread, whose prints and warnings are dropped, but not those of other threads."""

import asyncio
import contextlib
import io
import sys
import threading
import traceback
import types
import warnings
from collections.abc import Callable

import pytest

from secant.checking import situation
from secant.checking.watch import watch
from secant.quiet import quietly


def run_in_thread(action: Callable[[], object]) -> None:
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def test_only_the_silent_thread_s_prints_are_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    file = io.StringIO()
    with quietly():
        print("dropped", flush=True)
        print("into a file of its own", file=file)
        run_in_thread(lambda: print("arrives", "whole", sep="-", end="."))
        with quietly():
            pass
        print("dropped, too")
    print("arrives", flush=True)
    assert capsys.readouterr().out == "arrives-whole.arrives\n"
    assert file.getvalue() == "into a file of its own\n"


def test_prints_return_after_an_error_in_a_silenced_block(capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.suppress(KeyboardInterrupt), quietly():
        raise KeyboardInterrupt
    print("arrives")
    assert capsys.readouterr().out == "arrives\n"


def test_overlapping_silenced_threads_restore_stdout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A thread must not restore the stdout that it found at its start.

    The thread that ends last would otherwise restore the replacement that the other thread installed.
    """
    before = sys.stdout, warnings.showwarning
    entered, resume = threading.Event(), threading.Event()

    def run_second() -> None:
        with quietly():
            entered.set()
            resume.wait()

    thread = threading.Thread(target=run_second)
    with quietly():
        thread.start()
        entered.wait()
    resume.set()
    thread.join()
    assert (sys.stdout, warnings.showwarning) == before
    print("arrives")
    assert capsys.readouterr().out == "arrives\n"


def test_callback_scheduled_in_a_silenced_block_prints(capsys: pytest.CaptureFixture[str]) -> None:
    async def cell() -> None:
        with quietly():
            asyncio.get_running_loop().call_soon(print, "arrives")
        await asyncio.sleep(0)

    asyncio.run(cell())
    assert capsys.readouterr().out == "arrives\n"


def test_redirected_stdout_gets_only_the_learners_prints() -> None:
    def draw() -> None:
        with quietly():
            print("dropped")

    with contextlib.redirect_stdout(io.StringIO()) as stream:
        print("one")
        run_in_thread(draw)
        print("two")
    assert stream.getvalue() == "one\ntwo\n"


def test_print_and_stdout_are_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    class Learner:
        log = print  # from Python 3.14 on, a partial here would be a method

    stream = sys.stdout
    with quietly():
        assert sys.stdout is stream
        assert isinstance(print, types.BuiltinFunctionType)
    Learner().log("a", "b", sep=", ", file=None)
    assert capsys.readouterr().out == "a, b\n"
    with pytest.raises(TypeError) as error:
        print("a", end=3)
    assert len(traceback.extract_tb(error.value.__traceback__)) == 1  # only this line, no line of Secant's


def test_direct_writes_to_stdout_are_dropped_too(capsys: pytest.CaptureFixture[str]) -> None:
    with quietly():
        assert sys.stdout.write("dropped") == len("dropped")
        sys.stdout.writelines(["dropped", "too"])
    assert sys.stdout.write("arrives") == len("arrives")
    assert capsys.readouterr().out == "arrives"


def test_a_stdout_that_takes_no_attributes_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class SlottedStream:
        __slots__ = ("lines",)

        def __init__(self) -> None:
            self.lines: list[str] = []

        def write(self, text: str) -> int:
            self.lines.append(text)
            return len(text)

        def flush(self) -> None: ...

    stream = SlottedStream()
    monkeypatch.setattr(sys, "stdout", stream)
    with quietly():
        print("seen")
    monkeypatch.undo()
    assert stream.lines == ["seen", "\n"]


def test_a_process_without_a_stdout_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with quietly():
        print("nowhere", flush=True)


def warn(message: str) -> None:
    warnings.warn(message, stacklevel=1)


def test_only_the_silent_thread_s_warnings_are_dropped() -> None:
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always")
        with quietly():
            warn("dropped")
            run_in_thread(lambda: warn("arrives"))
        warn("arrives, too")
    assert [str(warning.message) for warning in caught_warnings] == ["arrives", "arrives, too"]


def test_a_warning_that_was_dropped_is_shown_when_its_line_next_runs() -> None:
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("default")  # shows a warning once per line of code
        with quietly():
            warn("careful")
        warn("careful")
        warn("careful")
    assert len(caught_warnings) == 1


def test_thread_silenced_during_a_probe_is_not_blamed_on_an_answer() -> None:
    entered, resume = threading.Event(), threading.Event()

    def draw() -> None:
        with quietly():
            entered.set()
            resume.wait()

    thread = threading.Thread(target=draw)
    with watch() as watcher:
        thread.start()
        entered.wait()
    resume.set()
    thread.join()
    assert watcher.changes == []


def test_warning_filter_of_quietly_is_installed_once() -> None:
    with quietly():
        before = list(warnings.filters)
    for _ in range(5):
        with quietly():
            pass
    assert warnings.filters == before


def test_explorer_warning_is_not_blamed_on_an_answer() -> None:
    def draw(entered: threading.Event, resume: threading.Event) -> None:
        with quietly():
            entered.set()
            resume.wait()
            warn("of the explorer's function")

    def answer() -> bool:
        resume.set()
        thread.join()
        return True

    entered, resume = threading.Event(), threading.Event()
    thread = threading.Thread(target=draw, args=(entered, resume))
    thread.start()
    entered.wait()
    request = {"text": "answer()", "arguments": {}, "warned": True}
    assert situation.answer_request(request, {"answer": answer}).get("warned", []) == []
