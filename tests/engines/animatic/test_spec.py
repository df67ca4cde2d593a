"""What the spec says, and that reading it is cheap."""

from __future__ import annotations

import subprocess
import sys

from triptych.engines.animatic.spec import animatic_spec
from triptych.task import Modality, Role, Task


def test_it_does_the_video_tasks_but_edits_and_takes_no_voice() -> None:
    spec = animatic_spec()
    assert spec.tasks == {Task.T2VA, Task.FL2VA, Task.REF2VA, Task.EXTEND}
    assert set(spec.roles) == {Role.FIRST_FRAME, Role.LAST_FRAME, Role.REFERENCE, Role.SOUNDTRACK, Role.INPUT}
    (apart,) = spec.exclusive
    assert apart.one | apart.other == {Role.INPUT, Role.FIRST_FRAME}
    assert spec.roles[Role.REFERENCE].uses[Modality.VIDEO] == ("motion",)
    assert (spec.caps.image, spec.caps.video, spec.caps.audio, spec.caps.total) == (9, 3, 3, 12)


def test_the_longest_video_can_come_back_as_an_input_and_so_can_its_sound() -> None:
    spec = animatic_spec()
    longest = spec.timing.max_frames / spec.timing.min_fps
    clip, sound = spec.limits_of(Modality.VIDEO), spec.limits_of(Modality.AUDIO)
    assert (clip.max_seconds, clip.max_frames) == (longest, spec.timing.max_frames)
    assert sound.max_seconds == longest


def test_it_says_what_it_is_not() -> None:
    words = " ".join(animatic_spec().description.split())
    assert "invents no picture" in words
    assert "copies nobody's voice" in words
    assert "use a model engine" in words


def test_the_spec_loads_no_media_library() -> None:
    code = (
        "import sys; from triptych.engines.animatic import create; create().spec; "
        "print(sorted({'numpy', 'cv2', 'av', 'PIL', 'espeakng_loader'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environment())
    assert found.stdout.strip() == "[]"


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
