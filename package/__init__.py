"""Duelgym: card duels with hidden information as reinforcement-learning environments."""

from importlib.metadata import version as _version

from duelgym.envs import make
from duelgym.training.registration import register_environments as _register_environments

__version__ = _version("duelgym")
__all__ = ["__version__", "make"]

_register_environments()
