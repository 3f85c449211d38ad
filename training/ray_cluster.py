"""Ray, for what is played on many machines: a connection that ends when it is not needed any more."""

# pyright: reportMissingImports=false
# Ray is in an environment of its own, as it pins an older Gymnasium.

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from ..envs.core.errors import OptionError


def checked_address(address: str) -> str:
    """``address`` if Ray knows such addresses.

    Raises:
        OptionError: It does not.
    """
    if address in ("", "auto", "local") or re.fullmatch(r"(ray://)?[^\s/]+:\d+", address):
        return address
    raise OptionError(
        f"{address!r} is no address of Ray's; there is HOST:PORT, ray://HOST:PORT, auto and local"
    )


@contextmanager
def connected(address: str = "") -> Iterator[None]:
    """Use Ray as long as this lasts; a connection that is there already is used and left alone.

    Args:
        address: As for ``checked_address``: ``auto`` is a cluster that runs here, ``local`` one that
            is started here for the purpose. Empty is ``RAY_ADDRESS`` if that is set, else ``auto``
            if there is one, else ``local``.

    Raises:
        OptionError: Ray is not installed, or does not answer at this address.
    """
    checked_address(address)
    try:
        import ray
    except ImportError:
        raise OptionError("this needs ray: pip install 'duelgym[rllib]'") from None
    if ray.is_initialized():
        yield
        return
    try:
        _knock(address)
        ray.init(
            address or None,
            include_dashboard=False,
            logging_level=logging.ERROR,
            log_to_driver=False,
        )
    except (OSError, RuntimeError, ValueError) as error:
        raise OptionError(f"there is no Ray at {address or 'its usual place'}: {error}") from None
    try:
        yield
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Raise ``OSError`` if nothing answers, where Ray itself would try for many minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon:
        socket.create_connection((host, int(port)), timeout=10).close()
