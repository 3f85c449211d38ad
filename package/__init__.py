"""Duelgym: card duels with hidden information as reinforcement-learning environments."""

from importlib.metadata import version as _version

from duelgym.envs import make

__version__ = _version("duelgym")
__all__ = ["__version__", "make"]
