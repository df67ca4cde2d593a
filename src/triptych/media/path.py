"""Opens a path that a caller gave, or says why not. Nothing else in the package opens one.

Below stated roots, a path is walked from its root one name at a time and no link is followed on the way, so that what
was checked is what is opened; outside, absent and unreadable get one and the same answer.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import stat
from itertools import islice
from pathlib import Path

from triptych.errors import InvalidRequest, Problem

# Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
# What FFmpeg and its kin take for an instruction rather than for a file.
_INSTRUCTION = re.compile(
    r"(concat|concatf|subfile|crypto|async|cache|pipe|fd|file|data|unix|tcp|udp|rtmp\w*)[:,]", re.IGNORECASE
)
_SIBLINGS_MOST = 10_000


def open_path(text: str, *, field: str, roots: tuple[Path, ...] | None) -> int:
    """A descriptor of a regular file or of a folder; nothing of it has been read.

    Args:
        text: the path as the caller wrote it; a relative one starts at the working folder.
        roots: the folders that may be read; ``None`` for any.

    Raises:
        InvalidRequest: ``path_not_allowed``, ``media_not_found`` and their kin.
    """
    _check_text(text, field)
    if roots is None:
        return _regular(_open_any(text, field), text, field)
    if not roots:
        raise _refusal("path_not_allowed", field, "paths are not read here", text, fix="Send the file itself")
    return _regular(_open_below(text, field, roots), text, field)


def _check_text(text: str, field: str) -> None:
    if not text:
        raise _refusal("invalid_value", field, "the path is empty", text)
    if "\0" in text:
        raise _refusal("invalid_value", field, "the path has a NUL character in it", ascii(text)[1:-1])
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        fix = "Rename the file"
        raise _refusal("invalid_value", field, "the path is not valid Unicode", ascii(text)[1:-1], fix=fix)
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() in ("http", "https"):
        raise _refusal("url_not_allowed", field, "it is an address, and a path is wanted", without_secrets(text))
    if scheme and scheme[1].lower() != "file":
        message = f"addresses of kind {scheme[1].lower()!r} are not read"
        raise _refusal("url_not_allowed", field, message, without_secrets(text))
    instruction = _INSTRUCTION.match(text)
    if instruction:
        message = f"it begins with {instruction[0]!r}, which is an instruction and not a file"
        fix = "Give the plain path (with ./ in front, when the file is really called that)"
        raise _refusal("path_not_allowed", field, message, instruction[0], fix=fix)


def _open_any(text: str, field: str) -> int:
    """For a person's own files: links are followed, and the answer helps."""
    try:
        return os.open(os.path.realpath(text), _FLAGS)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            raise _refusal("media_not_found", field, "no such file", text, fix=_hint(text)) from error
        raise _unopened(error, text, field) from error


def _open_below(text: str, field: str, roots: tuple[Path, ...]) -> int:
    real = Path(os.path.realpath(text))
    for root in roots:
        real_root = Path(os.path.realpath(root))
        if real.is_relative_to(real_root):
            try:
                return _walk(real_root, real.relative_to(real_root).parts)
            except OSError as error:
                raise _not_below(text, field) from error
    raise _not_below(text, field)


def _walk(root: Path, names: tuple[str, ...]) -> int:
    """Open ``root`` and then each name inside the last; a link that has appeared since is refused by the kernel."""
    descriptor = os.open(root, _FLAGS | os.O_DIRECTORY)
    for position, name in enumerate(names):
        folder = os.O_DIRECTORY if position < len(names) - 1 else 0
        try:
            inner = os.open(name, _FLAGS | folder, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def _regular(descriptor: int, text: str, field: str) -> int:
    """The descriptor, when it is of a file or a folder."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return descriptor
    os.close(descriptor)
    raise _special(mode, text, field)


_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def _special(mode: int, text: str, field: str) -> InvalidRequest:
    kind = next((words for test, words in _KINDS if test(mode)), "not a regular file")
    return _refusal("path_not_allowed", field, f"it is {kind}, not a file", text, fix="Save it to a file first")


def _unopened(error: OSError, text: str, field: str) -> InvalidRequest:
    """A file that is there and does not open."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return _refusal("path_not_allowed", field, "it may not be read (permission denied)", text)
    if error.errno in (errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP):
        return _special(stat.S_IFSOCK, text, field)
    if error.errno == errno.ENAMETOOLONG:
        return _refusal("media_not_found", field, "the path is longer than a path can be", text[:100])
    if error.errno == errno.ELOOP:
        return _refusal("media_not_found", field, "its links go round in a circle", text)
    return _refusal("media_unreadable", field, f"it cannot be opened ({error.strerror})", text)


def _not_below(text: str, field: str) -> InvalidRequest:
    message = "there is no file of that path in a folder that may be read"
    return _refusal("path_not_allowed", field, message, text, fix="Send the file itself")


def _hint(text: str) -> str:
    """What else the caller may have meant."""
    if text.startswith("~"):
        return "'~' is not expanded here; write the whole path"
    path = Path(text)
    if path.is_symlink():
        return f"It is a link to {str(path.readlink())!r}, which is not there"
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, _SIBLINGS_MOST)]
    except OSError:
        return f"There is no folder {str(path.parent)!r}"
    lowered = {name.lower(): name for name in names}
    close = difflib.get_close_matches(path.name.lower(), lowered, n=1)
    return f"Did you mean {lowered[close[0]]!r}?" if close else ""


def without_secrets(address: str) -> str:
    """An address without the parts that may hold a password or a key: user, query, fragment."""
    scheme, mark, rest = address.partition("://")
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    authority, slash, path = rest.partition("/")
    return f"{scheme}{mark}{authority.rpartition('@')[2]}{slash}{path}"[:200]


def _refusal(code: str, field: str, message: str, value: str, *, fix: str = "") -> InvalidRequest:
    shown = f"{message}: {value!r}" if value else message
    return InvalidRequest([Problem(code=code, field=field, message=shown, value=value, fix=fix)])
