import warnings

import pytest
import torch

from secant import expect_error, tensor_info


def test_tensor_info_shows_a_chain_after_backward() -> None:
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    z = torch.log(y)
    z.backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # reading a non-leaf's .grad would warn
        rows = tensor_info(x=x, y=y, z=z).rows
    assert rows["x"] == {
        "requires_grad": "True",
        "is_leaf": "True",
        "retains_grad": "False",
        "grad_fn": "None",
        "grad": "0.6000",
        "value": "5.",
    }
    assert rows["y"]["grad_fn"].startswith("PowBackward")
    assert rows["y"]["grad"] == "None"
    assert rows["z"]["grad_fn"].startswith("LogBackward")


def test_a_retained_gradient_is_shown() -> None:
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    y.retain_grad()
    torch.log(y).backward()
    assert tensor_info(y=y).rows["y"]["grad"] == "0.0080"


def test_a_grad_that_was_assigned_to_an_intermediate_tensor_is_shown() -> None:
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    y.grad = torch.tensor(7.0)
    assert not y.retains_grad
    assert tensor_info(y=y).rows["y"]["grad"] == "7."


def test_reading_a_grad_afterwards_still_warns() -> None:
    y = torch.tensor(5.0, requires_grad=True) ** 3
    tensor_info(y=y)
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None


def test_tensor_info_has_the_same_content_as_text_and_as_a_table() -> None:
    info = tensor_info(**{"x<1>": torch.ones(2)})
    assert "x<1>" in str(info)
    assert "x&lt;1&gt;" in info._repr_html_()
    assert "<1>" not in info._repr_html_()
    assert all(column in str(info) and column in info._repr_html_() for column in info.columns)


def test_the_table_has_no_empty_header() -> None:
    """A screen reader would announce an empty header before every name."""
    assert "<th></th>" not in tensor_info(x=torch.ones(2))._repr_html_()


def test_a_large_tensor_shows_its_shape() -> None:
    assert tensor_info(t=torch.ones(100, 2)).rows["t"]["value"] == "float32 (100, 2)"


def test_tensor_info_of_a_float_is_refused() -> None:
    with pytest.raises(TypeError, match="y is a float"):
        tensor_info(y=1.0)


def test_an_expected_error_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with expect_error():
        torch.ones(2).sum().backward()
    assert capsys.readouterr().out.startswith("RuntimeError: element 0 of tensors does not require grad")


def test_expected_error_that_does_not_occur_is_reported() -> None:
    with pytest.raises(AssertionError, match="should have failed"), expect_error():
        pass


def test_error_of_another_type_than_expected_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), expect_error(ValueError):
        _ = 1 / 0
