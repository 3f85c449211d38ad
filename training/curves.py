"""The learning curve of a run as a picture."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence

from ..envs.core.errors import OptionError
from .exploit import LOGGED


def picture(metrics: Sequence[Mapping[str, float]], title: str) -> bytes:
    """Scores, losses where they are known, entropy and value fit over decisions, as a PNG file.

    Args:
        metrics: The lines of ``metrics.jsonl``, at least one.
        title: Heading of the picture.

    Raises:
        OptionError: Matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise OptionError("pictures need Matplotlib: pip install 'duelgym[pictures]'") from None

    names = sorted({name for line in metrics for name in line})
    scores = [name for name in names if name.startswith("score_")]
    panels = {
        "score against": scores,
        "loss": [name for name in LOGGED if name in names],
        "entropy (nats)": [name for name in names if name == "entropy"],
        "explained variance": [name for name in names if name == "explained_variance"],
        "error of values": [name for name in names if name.endswith("error")],
    }
    panels = {label: shown for label, shown in panels.items() if shown}
    figure = Figure(figsize=(7, 1 + 2 * len(panels)), layout="constrained")
    rows = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    x = "decisions" if "entropy" in names else "updates"
    for axes, (label, shown) in zip(rows, panels.items(), strict=True):
        for name in shown:
            points = [(line[x], line[name]) for line in metrics if name in line]
            few = name in scores or name in LOGGED
            words = name.removeprefix("score_").replace("_", " ")
            axes.plot(*zip(*points, strict=True), marker="o" if few else "", label=words)
        axes.set_ylabel(label)
        if len(shown) > 1 or label in ("score against", "loss"):
            axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        if label == "score against":
            axes.axhline(0.5, color="0.8", linestyle="--", zorder=0)
        elif label in ("loss", "error of values"):
            axes.set_ylim(bottom=0)
    rows[-1].set_xlabel(x)
    rows[0].set_title(textwrap.fill(title, 70), loc="left", fontsize="medium")
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=150)
    return image.getvalue()
