"""# Dragon's Path"""

from __future__ import annotations

from typing import Any

from .core.aec import DuelEnv
from .dragons_path import DragonsPath


def env(render_mode: str | None = None, variant: str | None = None, **options: Any) -> DuelEnv:
    """The AEC environment; ``variant`` and ``options`` as on this page.

    Raises:
        OptionError: An unknown variant or option, or a value that the rules do not allow.
    """
    return DragonsPath(variant, **options).env(render_mode)


raw_env = env
"""The same: the checks of PettingZoo's stock wrappers are part of the environment."""
