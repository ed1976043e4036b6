"""A check of whether a student's function changes objects or settings that belong to its caller."""

import itertools
import sys
import warnings

import torch
from torch import nn

Change = tuple[str, str]

# A warning filter for BytesWarning. It matches no warning, because Python issues this warning only with the
# option -b.
_MARK = ("default", None, BytesWarning, None, 0)

# The beginning of torch's warning when .grad is read from a tensor that is not a leaf.
_NO_GRAD = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."

# Seeds that an answer is unlikely to set. Each use of `watch` takes a new seed, so that the random numbers
# differ from use to use.
_SEEDS = itertools.count(0x5EC_A47)

_NUMPY_DTYPES = (torch.float32, torch.float64, torch.int64, torch.int32, torch.bool, torch.uint8)


class watch:
    """Compare what belongs to the caller before and after the body of a with statement.

    Args:
        **watched: tensors and modules, keyed by the name that a message should use.

    Attributes:
        tensors: all watched tensors, keyed by name, including those of the modules.
        changes: after the body, a (kind, name) pair for each thing that differs.

    The body starts with the grad mode, anomaly mode and default dtype of a new process. The kind of a change
    is one of value, grad, requires_grad, hooks, training, or a setting of the whole process: grad_mode,
    anomaly_mode, saved_hooks, default_dtype, random_seed, recursion_limit, warning_filters,
    warning_functions, warn_always, threads. The pairs are plain data for `check.untouched`, which has a
    sentence for each kind. To watch something else, add it to `_snapshot`, and add a sentence to `check`.
    Values are compared bit for bit.
    """

    def __init__(self, **watched: torch.Tensor | nn.Module) -> None:
        self.tensors: dict[str, torch.Tensor] = {}
        self._modules: dict[str, nn.Module] = {}
        for name, item in watched.items():
            if isinstance(item, nn.Module):
                self._modules |= {f"{name}.{n}" if n else name: m for n, m in item.named_modules()}
                tensors = [*item.named_parameters(), *item.named_buffers()]
                self.tensors |= {f"{name}.{n}": t for n, t in tensors}
            else:
                self.tensors[name] = item
        self.changes: list[Change] = []

    def __enter__(self) -> "watch":
        self._settings = sys.getrecursionlimit(), list(warnings.filters), torch.get_num_threads()
        self._warning = warnings.warn, warnings.showwarning, torch.is_warn_always_enabled()
        # Reset the settings, because an earlier call may have changed them. Without the reset, a call that
        # changes them in the same way would go unnoticed.
        self._restore()
        # Give the generator a new seed, because a call that sets the seed already in use would go unnoticed.
        self._generator = torch.default_generator.get_state()
        torch.default_generator.manual_seed(next(_SEEDS))
        # Give the recursion limit and the warning filters values that no earlier call can have left behind.
        # Then a change is noticed even if an earlier call made the same change.
        sys.setrecursionlimit(self._settings[0] + 1)
        warnings.filters.insert(0, _MARK)  # type: ignore[attr-defined]
        self._hooks = _saved_hooks()
        self._before = self._snapshot()
        return self

    def __exit__(self, *_: object) -> None:
        after = self._snapshot()
        torch.default_generator.set_state(self._generator)
        _pop_saved_hooks(self._hooks)
        if warnings.filters[:1] == [_MARK]:
            del warnings.filters[0]  # type: ignore[attr-defined]
        # Restore the settings, so that an answer's changes affect neither the rest of the test nor the
        # notebook.
        self._restore()
        self.changes = [key for key, value in self._before.items() if value != after.get(key)]

    def _restore(self) -> None:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.autograd.set_detect_anomaly(False)
        warnings.warn, warnings.showwarning, warn_always = self._warning
        torch.set_warn_always(warn_always)
        recursion, filters, threads = self._settings
        sys.setrecursionlimit(recursion)
        if warnings.filters != filters:
            warnings.resetwarnings()  # resetwarnings() also makes Python forget which warnings it has shown
            warnings.filters.extend(filters)  # type: ignore[attr-defined]
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)

    def _snapshot(self) -> dict[Change, object]:
        state: dict[Change, object] = {
            ("grad_mode", ""): (torch.is_grad_enabled(), torch.is_inference_mode_enabled()),
            ("anomaly_mode", ""): (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
            ("saved_hooks", ""): _saved_hooks(),
            ("default_dtype", ""): torch.get_default_dtype(),
            ("recursion_limit", ""): sys.getrecursionlimit(),
            ("warning_filters", ""): _general_filters(),
            ("warning_functions", ""): (warnings.warn, warnings.showwarning),
            ("warn_always", ""): torch.is_warn_always_enabled(),
            ("threads", ""): torch.get_num_threads(),
            ("random_seed", ""): torch.default_generator.initial_seed(),
        }
        for name, tensor in self.tensors.items():
            state["value", name] = _tensor_state(tensor)
            # Reading the .grad of a non-leaf gives a warning, and .grad is None unless retain_grad() was
            # called.
            grad = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
            state["grad", name] = None if grad is None else (id(grad), _tensor_state(grad))
            state["requires_grad", name] = tensor.requires_grad
            state["hooks", name] = (
                len(tensor._backward_hooks or ()),
                len(tensor._post_accumulate_grad_hooks or ()),
            )
        for name, module in self._modules.items():
            state["training", name] = module.training
            state["hooks", name] = (
                len(module._forward_hooks),
                len(module._forward_pre_hooks),
                len(module._backward_hooks),
                len(module._backward_pre_hooks),
            )
            # A call may have replaced a parameter. The watched tensor, now unused, would then look unchanged.
            for part in (module._parameters, module._buffers):
                for key, member in part.items():
                    state["value", f"{name}.{key}"] = (id(member), state.get(("value", f"{name}.{key}")))
        return state


def _saved_hooks() -> object:
    """Return the innermost pair of saved_tensors_hooks in force; None if there is none."""
    return torch._C._autograd._top_saved_tensors_default_hooks(True)


def _pop_saved_hooks(outer_hooks: object) -> None:
    while _saved_hooks() not in (None, outer_hooks):
        torch._C._autograd._pop_saved_tensors_default_hooks()


def _general_filters() -> list[object]:
    """Return the filters for all warnings of a builtin category, or for torch's warning about .grad.

    Other filters are ignored, because an imported library may add them. For example, torch's backward()
    imports sympy, which adds filters.
    """
    general_filters = (f for f in warnings.filters if f[3] is None and (f[1] is None or f[1].match(_NO_GRAD)))
    return [f[:1] + f[2:3] for f in general_filters if f[2].__module__ == "builtins"]


def _tensor_state(tensor: torch.Tensor) -> tuple[object, ...]:
    """Return a tensor's shape, dtype, layout and values as plain data."""
    return tensor.shape, tensor.dtype, tensor.layout, _value_bytes(tensor)


def _value_bytes(tensor: torch.Tensor) -> bytes | None:
    """Return a tensor's values as bytes, or None if it has no values (device "meta").

    In bytes, nan equals nan, and -0.0 differs from 0.0.
    """
    if tensor.device.type == "meta":
        return None
    dense = tensor if tensor.layout is torch.strided else tensor.to_dense()
    if dense.dtype in _NUMPY_DTYPES:
        return dense.numpy(force=True).tobytes()
    resolved = dense.detach().resolve_conj().resolve_neg().cpu()
    # A tensor with one element counts as contiguous whatever its stride. It can be viewed as bytes only after
    # it has been copied.
    flat = resolved.reshape(-1).clone(memory_format=torch.contiguous_format)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
