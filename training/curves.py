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

    losses = [name for name in LOGGED if any(name in line for line in metrics)]
    panels = 4 if losses else 3
    figure = Figure(figsize=(7, 1 + 2 * panels), layout="constrained")
    scores, *more, entropy, value = figure.subplots(panels, 1, sharex=True)
    names = sorted({name for line in metrics for name in line if name.startswith("score_")})
    for name in names:
        points = [(line["decisions"], line[name]) for line in metrics if name in line]
        scores.plot(*zip(*points, strict=True), marker="o", label=name.removeprefix("score_"))
    scores.axhline(0.5, color="0.8", linestyle="--", zorder=0)
    scores.set_ylabel("score against")
    if names:
        scores.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    for name in losses:
        points = [(line["decisions"], line[name]) for line in metrics if name in line]
        more[0].plot(*zip(*points, strict=True), marker="o", label=name.replace("_", " "))
    if losses:
        more[0].set_ylim(bottom=0)
        more[0].set_ylabel("loss")
        more[0].legend(loc="center left", bbox_to_anchor=(1, 0.5))
    decisions = [line["decisions"] for line in metrics]
    entropy.plot(decisions, [line["entropy"] for line in metrics])
    entropy.set_ylabel("entropy (nats)")
    value.plot(decisions, [line["explained_variance"] for line in metrics])
    value.set_ylabel("explained variance")
    value.set_xlabel("decisions")
    scores.set_title(textwrap.fill(title, 70), loc="left", fontsize="medium")
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=150)
    return image.getvalue()
