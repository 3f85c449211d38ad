"""Dragon's Path: elements, reactions and spells. ``duelgym.envs.dragons_path_v0`` is its page."""

from .game import DragonsPath

__all__ = ["DragonsPath"]
