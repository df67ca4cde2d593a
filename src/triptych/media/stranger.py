"""Files that are recognised in order to be refused by name: what they are, and what to send instead."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass

_TEXT_BYTES = 4096


@dataclass(frozen=True, kw_only=True)
class Stranger:
    """Something that is not read here.

    Attributes:
        code: ``media_unreadable`` for what is not media, ``media_not_supported`` for a format that has a name.
        name: in a few words.
        message: the whole finding.
        fix: what to do; empty for the list of formats that are read.
    """

    code: str
    name: str
    message: str
    fix: str = ""


def unknown(why: str) -> Stranger:
    """Bytes that nothing here knows."""
    return Stranger(code="media_unreadable", name="unknown bytes", message=f"not media of a kind that is known: {why}")


def format_not_read(name: str, fix: str = "") -> Stranger:
    """A format that has a name and no reader here."""
    return Stranger(
        code="media_not_supported", name=name, message=f"it is {name}, which is not a format that is read here", fix=fix
    )


def camera_raw(kind: str) -> Stranger:
    """A camera's raw picture."""
    return format_not_read(f"a camera's raw picture ({kind})", "Develop it first and send a JPEG, PNG or TIFF")


def _not_media(name: str, fix: str) -> Stranger:
    return Stranger(code="media_unreadable", name=name, message=f"it is {name}, not media", fix=fix)


def _list_of_files(name: str) -> Stranger:
    return Stranger(
        code="media_not_supported",
        name=name,
        message=f"it is {name}, a list that points at other files; nothing that it names was opened",
        fix="Send the media itself",
    )


_SEND_FILE = "Send the file itself"
_UNPACK = "Unpack it and send the media inside"
_PAGE = _not_media("a web page (HTML)", "Download from the file's direct address, not from the page that shows it")
_SVG = format_not_read("an SVG drawing", "Draw it to a PNG and send that")

_MANIFEST = _list_of_files("a streaming manifest or playlist (XML)")
_CONCAT = _list_of_files("an FFmpeg concat list")
_XML = _not_media("an XML document", _SEND_FILE)

_TEXTS: tuple[tuple[re.Pattern[str], Stranger], ...] = (
    (re.compile(r"#EXTM3U|#EXT-X-"), _list_of_files("an HLS playlist (M3U8)")),
    (re.compile(r"#EXTINF"), _list_of_files("an M3U playlist")),
    (re.compile(r"ffconcat version"), _CONCAT),
    (re.compile(r"(#.*\n|\s)*file\s+('|\"|\S+[ \t]*$)", re.ASCII | re.MULTILINE), _CONCAT),
    (re.compile(r"\[(playlist|reference)\]", re.IGNORECASE), _list_of_files("a playlist")),
    (re.compile(r"v=0\r?\no="), _list_of_files("an SDP session description")),
    (re.compile(r"version https://git-lfs"), _not_media("a Git LFS pointer", "Fetch the file itself: git lfs pull")),
    (re.compile(r"%PDF-"), format_not_read("a PDF document", "Send its pictures as PNG or JPEG")),
    (re.compile(r"%!PS"), format_not_read("a PostScript document", "Draw it to a PNG and send that")),
    (re.compile(r"data:", re.IGNORECASE), _not_media("a data: URL saved as text", "Send the URL, or the decoded file")),
)

# The first element of a marked-up text, or what its doctype names.
_ROOTS: dict[str, Stranger] = {
    **dict.fromkeys(("html", "head", "body", "script", "title", "meta", "link", "div", "p"), _PAGE),
    **dict.fromkeys(("mpd", "smoothstreamingmedia", "smil", "playlist", "asx"), _MANIFEST),
    "svg": _SVG,
}
_ELEMENT = re.compile(r"<(?:!doctype\s+)?(?:\w+:)?([a-z]+)", re.IGNORECASE)

_JSON = _not_media("JSON", "Look inside: it is often an error message that was saved under the name of the media")
_PLAIN = _not_media("plain text", _SEND_FILE)


def text(head: bytes, *, whole: bool) -> Stranger | None:
    """What kind of text it is; ``None`` when it is not text.

    Args:
        head: beginning of the file.
        whole: whether that is all of it.
    """
    words = _as_text(head[:_TEXT_BYTES], whole=whole and len(head) <= _TEXT_BYTES)
    if words is None:
        return None
    words = words.lstrip("\ufeff \t\r\n\f")
    for pattern, found in _TEXTS:
        if pattern.match(words):
            return found
    element = _ELEMENT.match(_without_prelude(words))
    if element:
        return _ROOTS.get(element[1].lower(), _XML)
    return _JSON if _is_json(words, head if whole else None) else _PLAIN


def _without_prelude(words: str) -> str:
    """What follows an XML declaration and comments."""
    while words.startswith(("<?", "<!--")):
        words = words.partition("?>" if words.startswith("<?") else "-->")[2].lstrip()
    return words


def _is_json(words: str, everything: bytes | None) -> bool:
    if words[:1] not in ("{", "["):
        return False
    if everything is None:
        return re.match(r'[\[{]\s*["\[{\d]', words) is not None
    try:
        json.loads(everything)
    except (ValueError, RecursionError):
        return False
    return True


def _as_text(head: bytes, *, whole: bool) -> str | None:
    encoding = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}.get(head[:2], "utf-8")
    try:
        words = codecs.getincrementaldecoder(encoding)().decode(head, whole)
    except UnicodeDecodeError:
        return None
    if encoding == "utf-16":
        return words if all(char.isprintable() or char in "\t\r\n" for char in words) else None
    return None if re.search(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]", words) else words


_BINARIES: tuple[tuple[int, bytes, Stranger], ...] = (
    (0, b"%PDF-", format_not_read("a PDF document", "Send its pictures as PNG or JPEG")),
    (0, b"PK\x03\x04", format_not_read("a ZIP archive (or an office document)", _UNPACK)),
    (0, b"PK\x05\x06", format_not_read("an empty ZIP archive", _UNPACK)),
    (0, b"\x1f\x8b", format_not_read("a gzip file", _UNPACK)),
    (0, b"Rar!\x1a\x07", format_not_read("a RAR archive", _UNPACK)),
    (0, b"7z\xbc\xaf\x27\x1c", format_not_read("a 7-Zip archive", _UNPACK)),
    (0, b"\xfd7zXZ\x00", format_not_read("an xz file", _UNPACK)),
    (0, b"BZh", format_not_read("a bzip2 file", _UNPACK)),
    (0, b"\x28\xb5\x2f\xfd", format_not_read("a zstd file", _UNPACK)),
    (257, b"ustar", format_not_read("a tar archive", _UNPACK)),
    (0, b"\x7fELF", _not_media("a program (ELF)", _SEND_FILE)),
    (0, b"MZ", _not_media("a program (Windows)", _SEND_FILE)),
    (0, b"\xcf\xfa\xed\xfe", _not_media("a program (Mach-O)", _SEND_FILE)),
    (0, b"\xca\xfe\xba\xbe", _not_media("a program (Mach-O or Java)", _SEND_FILE)),
    (0, b"SQLite format 3", _not_media("an SQLite database", _SEND_FILE)),
    (0, b"GGUF", _not_media("a model's weights (GGUF)", _SEND_FILE)),
    (0, b"\x93NUMPY", _not_media("a NumPy array", "Save it as PNG or WAV")),
    (0, b"bplist", _not_media("an Apple property list", _SEND_FILE)),
    (0, b"\xff\x0a", format_not_read("a JPEG XL picture")),
    (0, b"\x00\x00\x00\x0cJXL ", format_not_read("a JPEG XL picture")),
    (0, b"\x00\x00\x00\x0cjP  ", format_not_read("a JPEG 2000 picture")),
    (0, b"\xff\x4f\xff\x51", format_not_read("a JPEG 2000 picture")),
    (0, b"8BPS", format_not_read("a Photoshop document")),
    (0, b"II+\x00", format_not_read("a BigTIFF picture")),
    (0, b"MM\x00+", format_not_read("a BigTIFF picture")),
    (0, b"IIU\x00", camera_raw("Panasonic RW2")),
    (0, b"IIRO", camera_raw("Olympus ORF")),
    (0, b"IIRS", camera_raw("Olympus ORF")),
    (0, b"MMOR", camera_raw("Olympus ORF")),
    (0, b"FUJIFILMCCD-RAW", camera_raw("Fujifilm RAF")),
    (0, b"P7\n", format_not_read("a PAM picture")),
    (0, b"PF\n", format_not_read("a PFM picture")),
    (0, b"Pf\n", format_not_read("a PFM picture")),
    (0, b"v/1\x01", format_not_read("an OpenEXR picture")),
    (0, b"#?RADIANCE", format_not_read("a Radiance HDR picture")),
    (0, b"#?RGBE", format_not_read("a Radiance HDR picture")),
    (0, b"DDS ", format_not_read("a DirectDraw surface")),
    (0, b"qoif", format_not_read("a QOI picture")),
    (0, b"BPG\xfb", format_not_read("a BPG picture")),
    (0, b"FLIF", format_not_read("a FLIF picture")),
    (0, b"\x00\x00\x01\x00", format_not_read("a Windows icon")),
    (0, b"FLV\x01", format_not_read("a Flash video")),
    (0, b"FWS", format_not_read("a Flash film")),
    (0, b"CWS", format_not_read("a Flash film")),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", format_not_read("a Windows Media file (ASF, WMV, WMA)")),
    (0, b".RMF", format_not_read("a RealMedia file")),
    (0, b"\x00\x00\x01\xba", format_not_read("an MPEG program stream (MPG, VOB)")),
    (0, b"\x00\x00\x01\xb3", format_not_read("an MPEG video stream without a container")),
    (0, b"\x00\x00\x00\x01", format_not_read("a video stream without a container (H.264 or H.265)")),
    (0, b"\x06\x0e\x2b\x34", format_not_read("an MXF file")),
    (0, b"DKIF", format_not_read("an IVF video")),
    (0, b"YUV4MPEG2", format_not_read("a YUV4MPEG video")),
    (0, b"MThd", format_not_read("a MIDI file (notes, not sound)", "Play it to a WAV and send that")),
    (0, b".snd", format_not_read("a Sun audio file")),
    (0, b"riff\x2e\x91\xcf\x11", format_not_read("a Wave64 file")),
    (0, b"wvpk", format_not_read("a WavPack file")),
    (0, b"MAC ", format_not_read("a Monkey's Audio file")),
    (0, b"TTA1", format_not_read("a True Audio file")),
    (0, b"MPCK", format_not_read("a Musepack file")),
    (0, b"MP+", format_not_read("a Musepack file")),
    (0, b"DSD ", format_not_read("a DSD file")),
    (0, b"\x0b\x77", format_not_read("an AC-3 stream without a container")),
    (0, b"\x7f\xfe\x80\x01", format_not_read("a DTS stream without a container")),
    (0, b"#!AMR_MC", format_not_read("an AMR file of several channels")),
    (0, b"#!AMR-WB_MC", format_not_read("an AMR file of several channels")),
)


def binary(head: bytes) -> Stranger | None:
    """What else it is, by its first bytes; ``None`` when nobody knows."""
    for offset, magic, found in _BINARIES:
        if head.startswith(magic, offset):
            return found
    if not head[:_TEXT_BYTES].strip(b"\x00"):
        return unknown("it begins with nothing but zeros, as an unfinished download or copy does")
    return None
