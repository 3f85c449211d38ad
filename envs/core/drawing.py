"""What the renderers of all games share: names of players, and a sheet to draw on with Pillow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import OptionError

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

PAPER, INK, FAINT = (250, 246, 236), (50, 45, 40), (226, 219, 204)


def who(owner: int, seat: int | None) -> str:
    """A player as ``seat`` calls it: ``player_1``, or ``player_0 (you)``."""
    return f"player_{owner} (you)" if owner == seat else f"player_{owner}"


def sheet(width: int, height: int) -> tuple[Image, ImageDraw]:
    """An empty picture of so many pixels, and what draws on it.

    Raises:
        OptionError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise OptionError("rgb_array needs Pillow: pip install 'duelgym[pictures]'") from None
    image = Image.new("RGB", (width, height), PAPER)
    return image, ImageDraw.Draw(image)


def font(size: int) -> FreeTypeFont | ImageFont:
    """The letters of a size in pixels."""
    from PIL import ImageFont

    return ImageFont.load_default(size)
