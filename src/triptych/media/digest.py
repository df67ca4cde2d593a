"""The hash of what was really used: normalised pixels and samples, not the file that they came in."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


class SampleHash:
    """The sha256 of arrays in the order in which they are used.

    Pictures (``uint8 [H, W, C]``) count with their shape, so that a picture and its reshaped bytes differ. Sound
    (``float32 [channels, n]``) counts by samples in time order, so that how it was cut into chunks makes no difference.
    """

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def picture(self, pixels: NDArray[np.uint8]) -> None:
        """Add one picture, ``uint8 [H, W]`` or ``[H, W, C]``."""
        self._digest.update(f"picture {'x'.join(map(str, pixels.shape))}\n".encode())
        self._digest.update(np.ascontiguousarray(pixels).data)

    def sound(self, samples: NDArray[np.float32]) -> None:
        """Add sound, ``float32 [channels, n]``, -1..1."""
        interleaved = np.ascontiguousarray(samples.T, dtype="<f4")
        if interleaved.size:
            self._digest.update(interleaved.data)

    def hexdigest(self) -> str:
        """The hash so far, lower-case hex."""
        return self._digest.hexdigest()


def hash_pixels(pixels: NDArray[np.uint8]) -> str:
    """The sha256 of one picture, ``uint8 [H, W, C]``, with its shape."""
    digest = SampleHash()
    digest.picture(pixels)
    return digest.hexdigest()


def hash_samples(samples: NDArray[np.floating[Any]]) -> str:
    """The sha256 of sound, ``float32 [channels, n]``."""
    digest = SampleHash()
    digest.sound(samples.astype(np.float32, copy=False))
    return digest.hexdigest()
