"""What an import costs: the command must start at once, so nothing heavy is loaded before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"numpy", "cv2", "av", "PIL", "pillow_heif", "espeakng_loader", "tqdm"}


def loaded_by(module: str) -> set[str]:
    """Top-level names in ``sys.modules`` after importing ``module`` in a fresh process."""
    script = f"import {module}, sys; print(' '.join({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("module", "barred"),
    [
        ("triptych", HEAVY | {"asyncio"}),
        ("triptych.run", HEAVY),
        ("triptych.engines.registry", HEAVY),
        ("triptych.cli.main", HEAVY | {"asyncio"}),
    ],
)
def test_import_is_light(module: str, barred: set[str]) -> None:
    assert loaded_by(module) & barred == set()


def test_public_names_are_there_and_nothing_else_is() -> None:
    import triptych

    assert list(triptych.__all__) == sorted(set(triptych.__all__))
    assert [name for name in triptych.__all__ if not hasattr(triptych, name)] == []
    assert set(triptych.__all__) <= set(dir(triptych))
