"""Every name that a request for a video may hold, in one table: OpenAI's, our own, and those of the other servers.

A name is a setting, an input (``INPUTS``), an engine's option, or is known and cannot be honoured (``REFUSED``). What
is in none of them is refused with the closest name that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from triptych.task import Modality, Role
from triptych.wire.scalar import Kind


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A plain value.

    Attributes:
        kind: of the value.
        sets: which part of ``Request`` it is; ``None`` where ``wire.video`` works it out.
        help: one line for people.
    """

    kind: Kind
    sets: str | None
    help: str


SETTINGS: Mapping[str, Setting] = {
    "prompt": Setting(kind="text", sets="prompt", help="What the video shows. Tags name references: <Picture 1>."),
    "model": Setting(kind="text", sets=None, help="The engine; the server's default one when it is left out."),
    "seconds": Setting(kind="number", sets=None, help="Length in seconds, as OpenAI's clients say it."),
    "duration": Setting(kind="number", sets=None, help="Length in seconds; wins over seconds."),
    "num_frames": Setting(kind="whole", sets="num_frames", help="Length in frames; agrees with the seconds."),
    "fps": Setting(kind="number", sets="fps", help="Frames per second."),
    "size": Setting(kind="size", sets=None, help="Width x height. OpenAI's four sizes mean the engine's nearest."),
    "width": Setting(kind="whole", sets=None, help="Width in pixels, exactly; wins over size."),
    "height": Setting(kind="whole", sets=None, help="Height in pixels, exactly; wins over size."),
    "aspect_ratio": Setting(kind="text", sets=None, help="Shape, such as 16:9, where no size is given; or auto."),
    "short_edge": Setting(kind="whole", sets="short_edge", help="Short side in pixels, where no size is given."),
    "seed": Setting(kind="whole", sets="seed", help="Of every random choice."),
    "n": Setting(kind="whole", sets="n", help="How many videos."),
    "task": Setting(kind="text", sets="task", help="t2va, fl2va or ref2va; the inputs say it when it is left out."),
    "fit": Setting(kind="text", sets="fit", help="How pictures meet the frame: crop, pad or refuse."),
    "tags": Setting(kind="text", sets="tags", help="read, or verbatim: the prompt goes to the engine untouched."),
    "generate_audio": Setting(kind="switch", sets="generate_audio", help="Whether the video has sound."),
    "require_speech": Setting(kind="switch", sets="require_speech", help="Refuse when quoted words cannot be spoken."),
    "start_time_seconds": Setting(kind="number", sets=None, help="Where the only clip or sound begins."),
    "user": Setting(kind="text", sets=None, help="Kept, and told again."),
}

ALIASES: Mapping[str, str] = {
    "num_outputs_per_prompt": "n",
    "generate_sound": "generate_audio",
    "task_type": "task",
    "duration_seconds": "duration",
}
"""Other names for settings."""

NESTED = ("extra_params", "extra_body", "options", "target")
"""Objects whose members are read as if they stood beside them."""


@dataclass(frozen=True, kw_only=True)
class Input:
    """A name under which images, clips and sound come.

    Attributes:
        role: what they are for; ``None`` where each says it, or where what it is decides (``input_reference``).
        modality: what they are; ``None`` where the bytes say.
        help: one line for people.
    """

    role: Role | None
    modality: Modality | None = None
    help: str = ""


_FIRST = Input(role=Role.FIRST_FRAME, modality=Modality.IMAGE, help="The picture that the video begins with.")
_LAST = Input(role=Role.LAST_FRAME, modality=Modality.IMAGE, help="The picture that the video ends with.")
_IMAGES = Input(role=Role.REFERENCE, modality=Modality.IMAGE, help="Pictures that the prompt names: <Picture 1>.")
_VIDEOS = Input(role=Role.REFERENCE, modality=Modality.VIDEO, help="Clips that the prompt names: <Video 1>.")
_SOUNDS = Input(role=Role.REFERENCE, modality=Modality.AUDIO, help="Voices or music: <Audio 1>.")

INPUTS: Mapping[str, Input] = {
    "input_reference": Input(role=None, help="A picture is the first frame; a clip or sound is a reference."),
    "references": Input(role=None, help="A list in which each says its type, its role, and where it is."),
    "first_frame": _FIRST,
    "last_frame": _LAST,
    "reference_images": _IMAGES,
    "reference_videos": _VIDEOS,
    "reference_audio": _SOUNDS,
    "image_reference": Input(role=None, modality=Modality.IMAGE, help="The first frame, when it is the only input."),
    "input_references": Input(role=Role.REFERENCE, help="References of any kind, in order."),
    "first_frame_image": _FIRST,
    "start_image": _FIRST,
    "reference_url": _FIRST,
    "last_frame_image": _LAST,
    "end_image": _LAST,
    "frame_images": Input(role=None, modality=Modality.IMAGE, help="Each with its frame_type."),
    "reference_image": _IMAGES,
    "reference_image_urls": _IMAGES,
    "reference_video": _VIDEOS,
    "reference_video_urls": _VIDEOS,
    "video_reference": _VIDEOS,
    "video_url": _VIDEOS,
    "video_path": _VIDEOS,
    "reference_audios": _SOUNDS,
    "reference_audio_urls": _SOUNDS,
    "audio_reference": _SOUNDS,
    "audio": _SOUNDS,
    "conditions": Input(role=None, help="SGLang's list of images, clips and sounds with their roles."),
    "content": Input(role=None, help="A list of image_url, video_url and audio_url with their roles."),
    "soundtrack": Input(role=Role.SOUNDTRACK, modality=Modality.AUDIO, help="The sound of the only clip."),
}

ROLES: Mapping[str, Role] = {
    **{role.value: role for role in Role},
    "start_frame": Role.FIRST_FRAME,
    "start": Role.FIRST_FRAME,
    "end_frame": Role.LAST_FRAME,
    "end": Role.LAST_FRAME,
    "subject": Role.REFERENCE,
    "style": Role.REFERENCE,
    "motion": Role.REFERENCE,
    "driving_audio": Role.REFERENCE,
    "reference_image": Role.REFERENCE,
    "reference_video": Role.REFERENCE,
    "reference_audio": Role.REFERENCE,
}
"""Words for what an input is for."""

TYPES: Mapping[str, Modality] = {
    **{modality.value: modality for modality in Modality},
    "image_url": Modality.IMAGE,
    "video_url": Modality.VIDEO,
    "audio_url": Modality.AUDIO,
    "video_audio": Modality.VIDEO,
}
"""Words for what an input is."""

OPTIONS = frozenset(
    (
        "negative_prompt", "num_inference_steps", "guidance_scale", "guidance_scale_2", "true_cfg_scale", "cfg_scale",
        "step", "boundary_ratio", "flow_shift", "audio_flow_shift", "audio_guidance_scale", "max_sequence_length",
        "enhance_prompt", "quality", "generator_device", "sound_duration", "resolution", "style",
    )
)  # fmt: skip
"""Settings of one engine or another: an engine that has it gets it, for the others it is refused."""

REFUSED: Mapping[str, str] = {
    **dict.fromkeys(("output_path", "perf_dump_path"), "where files go on the server is not for a caller to say"),
    **dict.fromkeys(("lora", "loras"), "no engine here takes LoRA weights from a request"),
    **dict.fromkeys(
        ("enable_frame_interpolation", "frame_interpolation_exp", "frame_interpolation_scale",
         "frame_interpolation_model_path", "interpolation", "upscaling", "output_quality", "output_compression",
         "x264_preset"),
        "videos are not changed after they are made",
    ),
    **dict.fromkeys(
        ("control_reference", "control_type", "source_video", "source_audio", "video_noise_mask", "audio_noise_mask",
         "frame_indices", "frame_index", "reference_resize_mode", "params", "video_params"),
        "no engine here works that way",
    ),
    **dict.fromkeys(("stream", "response_format", "return_stage_metrics", "diffusers_kwargs"), "it is not done here"),
    "artifacts": "videos are made from references; artifacts of earlier answers are for spoken tasks",
}  # fmt: skip
"""Names of other servers that cannot be honoured, and why."""

NEUTRAL: tuple[object, ...] = (None, False, "", "false", {}, [])
"""Values with which a refused name asks for nothing."""


def known() -> list[str]:
    """Every name that means something here."""
    return sorted({*SETTINGS, *ALIASES, *INPUTS, *NESTED, "metadata"})
