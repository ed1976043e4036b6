"""A context manager for an error that a lesson raises on purpose."""

from collections.abc import Iterator
from contextlib import contextmanager

from secant.language import say


@contextmanager
def expect_error(*kinds: type[BaseException]) -> Iterator[None]:
    """Run the `with` block, which must fail, and print its error instead of stopping the notebook.

    Args:
        *kinds: the expected exceptions; by default RuntimeError, the one that autograd raises.

    Raises:
        AssertionError: if the block raises no error; the lesson's text would then be wrong.
    """
    expected = kinds or (RuntimeError,)
    try:
        yield
    except expected as error:
        print(f"{type(error).__name__}: {error}")
    else:
        raise AssertionError(
            say(
                en="This cell should have failed, but it did not.",
                ko="오류가 나야 하는 셀인데 나지 않았습니다.",
            )
        )
