"""What an engine is, and what it is given."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from triptych.errors import InputNotUsed
from triptych.process.host import Host
from triptych.rules.spec import EngineSpec
from triptych.task import EngineEvent, Plan, Receipt, Slot


class Engine(Protocol):
    """Does the work of one plan.

    ``spec`` is data and costs nothing to read: no weights, no device, no network.
    """

    @property
    def spec(self) -> EngineSpec:
        """What it can do."""
        ...

    def run(self, plan: Plan, context: Context) -> AsyncGenerator[EngineEvent, None]:
        """Do the work: yield ``Progress`` as it goes, and one ``Made`` last.

        Closing the generator, or cancelling the task that iterates it, stops the work within one frame or step;
        nothing it started outlives it.

        Raises:
            EngineFailed: it broke; the message says why.
        """
        ...


class HashingReader:
    """Reads a slot's bytes and knows, at the end, the sha256 of what was read. Made by ``Context.open``."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes; all that is left when it is negative."""
        data = self._file.read(size)
        self._digest.update(data)
        return data

    def finish(self) -> str:
        """Read what is left; the sha256 of the whole, lower-case hex."""
        while self.read(1 << 20):
            pass
        return self._digest.hexdigest()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@dataclass(kw_only=True)
class Context:
    """What an engine is given beside the plan.

    Attributes:
        workdir: a private folder for this run; outputs go here, and it is removed unless somebody keeps them.
        cache: a folder that outlives the run, or ``None``.
        host: starts child processes that are bounded and that end with the run.
    """

    workdir: Path
    host: Host
    cache: Path | None = None
    _open: dict[str, HashingReader] = field(default_factory=dict)

    def open(self, slot: Slot) -> HashingReader:
        """The bytes of one slot, hashed as they are read. Opened again, it begins again."""
        if slot.key in self._open:
            self._open.pop(slot.key).close()
        reader = HashingReader(Path(slot.blob.path).open("rb"))  # noqa: SIM115  (closed by ``receipt`` or ``close``)
        self._open[slot.key] = reader
        return reader

    def close(self) -> None:
        """Close what was opened and has no receipt. Whoever made the context does that, when the run is over."""
        while self._open:
            self._open.popitem()[1].close()

    def receipt(self, slot: Slot, *, used_sha256: str, where: str, uses: tuple[str, ...] | None = None) -> Receipt:
        """The receipt of a slot that was opened here: its source hash is that of what was really read.

        Raises:
            InputNotUsed: the slot was never opened.
        """
        reader = self._open.pop(slot.key, None)
        if reader is None:
            raise InputNotUsed(f"{slot.field}: a receipt was asked for, and its bytes were never opened")
        source_sha256 = reader.finish()
        reader.close()
        return Receipt(
            slot=slot.key,
            source_sha256=source_sha256,
            used_sha256=used_sha256,
            how="consumed",
            uses=slot.uses if uses is None else uses,
            where=where,
        )
