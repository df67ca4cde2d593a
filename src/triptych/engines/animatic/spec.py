"""What the preview engine can do, and what it is not."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

from triptych.media import voice
from triptych.rules.spec import (
    USES,
    Caps,
    EngineSpec,
    Exclusive,
    Geometry,
    MediaLimits,
    Option,
    RoleRule,
    Speech,
    Timing,
)
from triptych.task import Modality, Role, Task

NAME = "animatic"

MIB = 1 << 20

MOST_FRAMES = 14_400
SLOWEST_FPS = 8
LONGEST_SECONDS = MOST_FRAMES / SLOWEST_FPS
"""The longest video that can be asked for; it, and its sound, can come back as an input."""

SPEECH_START_SECONDS = 0.5
SPEECH_GAP_SECONDS = 0.25
MOST_LINES = 50

_DESCRIPTION = """\
The built-in preview engine puts together an animatic, a moving storyboard, on the CPU and from nothing but what you
send. It begins on your first frame and ends on your last one, moves its camera over your reference images in the
order you gave them, lets your clip's camera motion move them, lays your sound under them, and reads quoted words with
a synthetic voice. A clip to go on from is shown whole, with its sound, and its last frame is the first picture of
what is new. It invents no picture, understands nothing of the prompt beyond quotes and positions, makes no person
move or speak, and copies nobody's voice: a voice you send is played as it is. It is here so that requests, files,
progress and results can be tried and tested from end to end without a GPU. To generate video, use a model engine."""


@cache
def animatic_spec() -> EngineSpec:
    """The spec; data only, worked out once."""
    picture = frozenset({Modality.IMAGE})
    return EngineSpec(
        name=NAME,
        shows_every_input=True,
        summary="A moving storyboard of your own pictures, clips and sound; made on the CPU, no model.",
        description=_DESCRIPTION,
        tasks=frozenset({Task.T2VA, Task.FL2VA, Task.REF2VA, Task.EXTEND}),
        roles=MappingProxyType(
            {
                Role.FIRST_FRAME: RoleRule(modalities=picture, use="pinned at frame 0; the first shot"),
                Role.LAST_FRAME: RoleRule(modalities=picture, use="pinned at the last frame; the last shot"),
                Role.REFERENCE: RoleRule(
                    modalities=frozenset(Modality),
                    most=12,
                    use="images are shots, in order; a clip lends its camera's motion; audio is played as it is",
                    uses=MappingProxyType({**USES, Modality.VIDEO: ("motion",)}),
                ),
                Role.SOUNDTRACK: RoleRule(
                    modalities=frozenset({Modality.AUDIO}), most=3, use="played while its clip's motion is carried over"
                ),
                Role.INPUT: RoleRule(
                    modalities=frozenset({Modality.VIDEO}),
                    use="shown first, whole and with its own sound; what is new goes on from its last frame",
                    shown=True,
                ),
            }
        ),
        exclusive=(
            Exclusive(
                one=frozenset({Role.INPUT}),
                other=frozenset({Role.FIRST_FRAME}),
                reason="what is new begins with the last frame of the clip",
            ),
        ),
        caps=Caps(image=9, video=3, audio=3, total=12),
        limits=MappingProxyType(
            {
                Modality.IMAGE: MediaLimits(max_bytes=64 * MIB, max_side=16_384, max_pixels=50_000_000),
                Modality.VIDEO: MediaLimits(
                    max_bytes=1024 * MIB,
                    max_side=4096,
                    max_pixels=3840 * 2160,
                    min_seconds=0.25,
                    max_seconds=LONGEST_SECONDS,
                    min_frames=2,
                    max_frames=MOST_FRAMES,
                ),
                Modality.AUDIO: MediaLimits(max_bytes=1024 * MIB, max_seconds=LONGEST_SECONDS),
            }
        ),
        geometry=Geometry(
            multiple=2,
            min_side=64,
            max_side=4096,
            max_pixels=3840 * 2160,
            min_aspect=0.25,
            max_aspect=4.0,
            default=(1280, 720),
            short_edge=720,
        ),
        timing=Timing(
            default_fps=24,
            min_fps=SLOWEST_FPS,
            max_fps=60,
            default_frames=120,
            min_frames=1,
            max_frames=MOST_FRAMES,
            stretches=True,
            inputs="together",
        ),
        options=MappingProxyType(
            {
                "motion_gain": Option(
                    kind=float,
                    default=1.0,
                    minimum=0.1,
                    maximum=2.0,
                    help="share of a clip's motion that is kept",
                ),
                "camera": Option(
                    kind=str, default="auto", choices=("auto", "still"), help="slow moves over the pictures, or none"
                ),
                "audio_pulse": Option(kind=bool, default=True, help="whether the sound's energy moves the picture"),
            }
        ),
        audio_alone=True,
        default_seed=0,
        speech=Speech(
            speaks=True,
            available=voice.available(),
            install='pip install "triptych[speech]"',
            start_seconds=SPEECH_START_SECONDS,
            gap_seconds=SPEECH_GAP_SECONDS,
            max_lines=MOST_LINES,
            max_line_chars=voice.MAX_LINE_CHARS,
        ),
    )
