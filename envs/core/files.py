"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
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
