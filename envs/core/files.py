"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import tempfile
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``, replacing a file that is there only once all of it is on disk.

    The data go to a new file beside it, which is then moved into place. A link is followed, and
    what is no regular file, such as a pipe, is written to directly.

    Raises:
        OSError: The folder does not exist or is not writable, or the disk is full. It names
            ``path``, which is as it was before.
    """
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        try:
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def check_writable(path: Path) -> None:
    """Make sure that ``write_atomically`` could write a small file, before the work for it is done.

    Raises:
        OSError: It could not; names ``path``.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.is_file() or not path.exists():
            with tempfile.TemporaryFile(dir=path.resolve().parent):
                pass
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise
