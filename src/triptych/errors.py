"""Every error that Triptych raises, and the one table that says what each means outside.

    TriptychError
    ├── InvalidRequest            the caller can mend it; carries every problem found
    │   └── UsageError            a command line that names no known option
    ├── NotFound                  an id, an engine or a file that is not there
    ├── Unauthorized              a key is needed, and it is not here or not known
    ├── Forbidden                 who asks may not, from there
    ├── MethodNotAllowed          the address is there, and does not do that
    ├── NotReady                  it is not finished yet
    ├── NoResult                  the job failed, so there is nothing to fetch
    ├── Conflict                  a key that was used for another request
    ├── Expired                   it was kept for its time
    ├── UnsupportedMediaType      a body of a type that is not read
    ├── QueueFull                 more waits than may wait
    ├── StillRunning              it takes longer than the caller may wait
    ├── TooLarge                  a body or a file over a stated limit
    ├── EngineUnavailable         the engine is known, but what it needs is not installed or not running
    ├── OutputExists              writing would replace a file and nobody asked for that
    ├── InputChanged              a file is no longer what was checked
    ├── StorageFailed             a disk is full, or a folder cannot be written
    ├── EngineFailed              the engine started and broke
    │   ├── ChildCrashed          its process died (signal, exit)
    │   └── LimitExceeded         its process passed a limit (memory, CPU, wall clock)
    ├── InputFailed               a result that was needed was not made
    ├── Interrupted               the process died, as often as a job may be begun
    ├── InputNotUsed              an input was lost between plan and receipt: our fault, always
    └── Cancelled                 somebody asked for it to stop

Each class has a ``code`` (for programs), an HTTP ``status`` and a process ``exit_code``; nothing else in the
package decides those. ``PROBLEM_CODES`` does the same for the reasons inside an ``InvalidRequest``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

PROBLEM_CODES: dict[str, str] = {
    "missing_required_parameter": "Something that every request needs is absent or empty.",
    "unknown_parameter": "A name that no setting, role or option has.",
    "unknown_engine": "No engine of that name is installed.",
    "invalid_value": "The value is of the wrong type, out of range, or not one of the choices.",
    "conflicting_parameters": "Two settings say different things about one matter.",
    "unsupported_parameter": "The engine has no way to honour this setting.",
    "unsupported_task": "The engine does not do this task.",
    "unsupported_role": "The engine has no use for an input in this role.",
    "unsupported_modality": "The input is of a kind (image, video, audio) that this role does not take.",
    "unsupported_combination": "Each input is legal alone, but the engine cannot use them together.",
    "unsupported_artifact": "The engine reads no artifact of this id or kind.",
    "role_required": "The request does not say what an input is for, and roles are never guessed.",
    "reference_limit_exceeded": "More inputs than the engine takes.",
    "reference_required": "The task needs an input that was not given.",
    "audio_alone": "The engine takes reference audio only beside a picture or a clip.",
    "invalid_name": "A reference's name cannot be used as a tag, or is used twice.",
    "unknown_tag": "The prompt names a reference that was not given.",
    "size_not_supported": "The frame size is off the engine's grid or out of its range.",
    "aspect_not_supported": "The shape (width to height) is outside the engine's range.",
    "fit_refused": "The picture's shape differs from the frame's, and fit is 'refuse'.",
    "duration_not_supported": "The length asked for is outside the engine's range.",
    "invalid_body": "The request's body is not what its type says: no JSON, no form, or cut short.",
    "fetch_failed": "An address that may be fetched did not give the bytes.",
    "media_too_long": "An input lasts longer than its limit.",
    "media_too_short": "An input lasts less than its limit, or has too few frames.",
    "media_too_large": "An input has more bytes or pixels than its limit.",
    "media_empty": "The input has no bytes.",
    "media_not_found": "Nothing is there to read.",
    "media_unreadable": "The bytes are not media, are cut short, or are damaged.",
    "media_not_supported": "The format is known, and is not one that is read here.",
    "media_animated": "A moving picture where a still is wanted.",
    "output_exists": "A file of that name is there, and nobody asked for it to be replaced.",
    "path_not_allowed": "A path outside the folders that may be read.",
    "url_not_allowed": "An address that may not be fetched.",
    "invalid_data_url": "A data: URL that is not well formed base64.",
    "speech_unavailable": "Words must be spoken, and no voice is installed.",
    "nothing_to_speak": "Speech is required, and the prompt quotes no words.",
    "speech_too_long": "The quoted words take longer to say than the video lasts.",
}
"""Why a request can be refused: code → meaning. ``docs/reference/errors.md`` is generated from it."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One reason why a request cannot run.

    Attributes:
        code: a key of ``PROBLEM_CODES``.
        field: what the caller called the thing (``--image 2 (cat.png)``, ``reference_images[1]``, ``size``).
        message: what is wrong, with the value and the limit in words; no field name, no final advice.
        value: the value found, as plain JSON.
        limit: the limit it broke, as plain JSON.
        fix: what to do about it.
    """

    code: str
    field: str
    message: str
    value: Any = None
    limit: Any = None
    fix: str = ""

    def __post_init__(self) -> None:
        if self.code not in PROBLEM_CODES:
            raise ValueError(f"no problem code {self.code!r}; known: {', '.join(PROBLEM_CODES)}")

    def __str__(self) -> str:
        sentence = f"{self.field}: {self.message}" if self.field else self.message
        advice = f" {self.fix}" if self.fix else ""
        return f"{sentence}.{advice}{'' if advice.endswith(('.', '?', '!')) or not advice else '.'}"

    def as_json(self) -> dict[str, Any]:
        """Every field, as plain JSON."""
        return {
            "code": self.code,
            "field": self.field,
            "message": self.message,
            "value": self.value,
            "limit": self.limit,
            "fix": self.fix,
        }


class TriptychError(Exception):
    """Something went wrong in Triptych."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").split("\n")[0])

    @property
    def message(self) -> str:
        """The error in one sentence or more, ready to be shown."""
        return str(self.args[0])

    def as_json(self) -> dict[str, Any]:
        """``code`` and ``message``, and for a refusal the problems too."""
        return {"code": self.code, "message": self.message}


class InvalidRequest(TriptychError):
    """The request cannot run as it stands; nothing has run.

    Args:
        problems: every problem found, in a fixed order; the first leads the message.
    """

    code = "invalid_request"
    status = 400

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        if not self.problems:
            raise ValueError("a refusal needs at least one problem")
        super().__init__(str(self.problems[0]))

    def as_json(self) -> dict[str, Any]:
        first = self.problems[0]
        return {
            "code": first.code,
            "message": self.message,
            "param": first.field,
            "problems": [problem.as_json() for problem in self.problems],
        }


class UsageError(InvalidRequest):
    """The command line has an option or a value that the command does not know; nothing has run."""

    code = "usage"
    exit_code = 2


class NotFound(TriptychError):
    """There is nothing under that name."""

    code = "not_found"
    status = 404


class Unauthorized(TriptychError):
    """A key is needed, and there is none, or it is not one of ours."""

    code = "invalid_api_key"
    status = 401


class Forbidden(TriptychError):
    """The request comes from a place that may not ask."""

    code = "forbidden"
    status = 403


class MethodNotAllowed(TriptychError):
    """The address is there, and does not do that."""

    code = "method_not_allowed"
    status = 405


class NotReady(TriptychError):
    """It is not finished yet."""

    code = "not_ready"
    status = 409


class Conflict(TriptychError):
    """The same key was used for another request."""

    code = "conflict"
    status = 409


class Expired(TriptychError):
    """It was kept for its time, and is gone."""

    code = "expired"
    status = 410


class UnsupportedMediaType(TriptychError):
    """A body of a type that is not read here."""

    code = "unsupported_media_type"
    status = 415


class NoResult(TriptychError):
    """The job failed, so there is nothing to fetch."""

    code = "no_result"
    status = 422


class QueueFull(TriptychError):
    """More work is waiting than may wait; nothing was queued."""

    code = "queue_full"
    status = 429


class StillRunning(TriptychError):
    """It takes longer than the caller may wait; the job goes on."""

    code = "still_running"
    status = 504


class TooLarge(TriptychError):
    """More bytes than the stated limit."""

    code = "too_large"
    status = 413


class EngineUnavailable(TriptychError):
    """The engine is known, but what it needs is not installed."""

    code = "engine_unavailable"
    status = 503


class OutputExists(TriptychError):
    """The output file exists already."""

    code = "output_exists"
    status = 409


class InputChanged(TriptychError):
    """An input is no longer the file that was checked."""

    code = "input_changed"
    status = 409


class StorageFailed(TriptychError):
    """Something could not be written: the disk is full, or the folder does not allow it."""

    code = "storage_failed"
    status = 507


class EngineFailed(TriptychError):
    """The engine broke while it worked."""

    code = "engine_failed"


class ChildCrashed(EngineFailed):
    """The working process died."""

    code = "child_crashed"


class LimitExceeded(EngineFailed):
    """The working process passed one of its limits."""

    code = "limit_exceeded"


class InputFailed(TriptychError):
    """A result that this job needs was not made."""

    code = "input_failed"


class Interrupted(TriptychError):
    """The process that did the work died, as often as it may be begun."""

    code = "interrupted"


class InputNotUsed(TriptychError):
    """An input that was planned was not used; this is a fault of the engine, not of the request."""

    code = "input_not_used"


class Cancelled(TriptychError):
    """Stopped on request."""

    code = "cancelled"
    status = 409
    exit_code = 130


def error_classes() -> tuple[type[TriptychError], ...]:
    """Every error class of this module, parents before children."""
    found: list[type[TriptychError]] = []
    queue: list[type[TriptychError]] = [TriptychError]
    while queue:
        kind = queue.pop(0)
        found.append(kind)
        queue.extend(sorted(kind.__subclasses__(), key=lambda child: child.__name__))
    return tuple(kind for kind in found if kind.__module__ == __name__)
