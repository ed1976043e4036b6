"""A measured figure beside a peer's."""

from typing import Any


def row(
    figure: str,
    ours: float,
    peer: str = "",
    value: float | None = None,
    unit: str = "s",
    *,
    more: bool = False,
) -> dict[str, Any]:
    """Return a row.

    Args:
        figure: what was measured.
        ours, value: the figure of ours, and the peer's.
        peer: whose; empty where there is none.
        unit: of both.
        more: whether more is better. `ratio` says how many times better ours is.
    """
    return {
        "figure": figure,
        "ours": round(ours, 3),
        "peer": peer,
        "peer_value": None if value is None else round(value, 3),
        "ratio": None if value is None else round(ours / value if more else value / ours, 2),
        "unit": unit,
    }
