"""Compiled code that reads outside an array, to see whether anything notices."""

import numpy as np
from duelgym.envs.core.compilation import kernel


@kernel
def read(index):
    return np.zeros(3)[index]
