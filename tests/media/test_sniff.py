"""What a file is, told from its bytes: files that Pillow and FFmpeg really write, and headers made by hand."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from triptych.errors import InvalidRequest
from triptych.media.sniff import HEAD_BYTES, Sniffed, sniff
from triptych.task import Modality

IMAGE = frozenset({Modality.IMAGE})
AUDIO = frozenset({Modality.AUDIO})
MOVIE = frozenset({Modality.VIDEO, Modality.AUDIO})


def look(data: bytes) -> Sniffed:
    return sniff(data[:HEAD_BYTES], field="--image 1", size_bytes=len(data))


def refused(data: bytes) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as caught:
        look(data)
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].field == "--image 1"
    return caught.value


def box(kind: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I4s", 8 + len(body), kind) + body


def ftyp(major: bytes, *brands: bytes) -> bytes:
    return box(b"ftyp", major + bytes(4) + b"".join(brands)) + box(b"free") + bytes(100)


def picture(kind: str, mode: str = "RGB") -> bytes:
    file = io.BytesIO()
    Image.new(mode, (33, 17)).save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize(
    ("kind", "container", "media_type"),
    [
        ("PNG", "png", "image/png"),
        ("JPEG", "jpeg", "image/jpeg"),
        ("WEBP", "webp", "image/webp"),
        ("GIF", "gif", "image/gif"),
        ("BMP", "bmp", "image/bmp"),
        ("TIFF", "tiff", "image/tiff"),
        ("AVIF", "avif", "image/avif"),
        ("PPM", "ppm", "image/x-portable-pixmap"),
    ],
)
def test_pictures_as_pillow_writes_them(kind: str, container: str, media_type: str) -> None:
    expected = Sniffed(container=container, media_type=media_type, modalities=IMAGE, reader="pillow", demuxer=None)
    assert look(picture(kind)) == expected


def sound(path: Path, container: str, codec: str, hz: int) -> bytes:
    with av.open(str(path), "w", format=container) as output:
        stream = output.add_stream(codec, rate=hz)
        assert isinstance(stream, av.AudioStream)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(np.zeros((1, hz // 2), np.float32), format="fltp", layout="mono")
        frame.sample_rate = hz
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            output.mux(packet)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("muxer", "codec", "hz", "container", "media_type", "modalities"),
    [
        ("wav", "pcm_s16le", 48000, "wav", "audio/wav", AUDIO),
        ("mp3", "libmp3lame", 44100, "mp3", "audio/mpeg", AUDIO),
        ("mp2", "mp2", 44100, "mp3", "audio/mpeg", AUDIO),
        ("flac", "flac", 48000, "flac", "audio/flac", AUDIO),
        ("adts", "aac", 48000, "aac", "audio/aac", AUDIO),
        ("aiff", "pcm_s16be", 48000, "aiff", "audio/aiff", AUDIO),
        ("caf", "pcm_s16le", 48000, "caf", "audio/x-caf", AUDIO),
        ("ogg", "libopus", 48000, "ogg", "audio/ogg", MOVIE),
        ("ipod", "aac", 48000, "mov", "audio/mp4", MOVIE),
        ("mov", "aac", 48000, "mov", "video/quicktime", MOVIE),
        ("mp4", "aac", 48000, "mov", "video/mp4", MOVIE),
        ("3gp", "aac", 48000, "mov", "video/3gpp", MOVIE),
        ("matroska", "pcm_s16le", 48000, "matroska", "video/x-matroska", MOVIE),
        ("webm", "libopus", 48000, "matroska", "video/webm", MOVIE),
        ("avi", "pcm_s16le", 48000, "avi", "video/x-msvideo", MOVIE),
        ("mpegts", "aac", 48000, "mpegts", "video/mp2t", MOVIE),
    ],
)
def test_sound_and_movies_as_ffmpeg_writes_them(
    tmp_path: Path, muxer: str, codec: str, hz: int, container: str, media_type: str, modalities: frozenset[Modality]
) -> None:
    data = sound(tmp_path / "made.bin", muxer, codec, hz)
    expected = Sniffed(
        container=container, media_type=media_type, modalities=modalities, reader="av", demuxer=container
    )
    assert look(data) == expected
    # The demuxer that will be forced opens it, and a head of 4 KiB is enough to know.
    with av.open(io.BytesIO(data), format=expected.demuxer) as opened:
        assert opened.streams.audio
    assert sniff(data[:4096], field="f", size_bytes=len(data)) == expected


MP3 = b"\xff\xfb\x90\x00" + bytes(413)  # 128 kbit/s at 44.1 kHz: 417 bytes
ADTS = b"\xff\xf1\x50\x80\x02\x1f\xfc" + bytes(9)  # 16 bytes


def id3(length: int) -> bytes:
    size = bytes((length >> shift) & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x04\0\0" + size + bytes(length)


@pytest.mark.parametrize(
    ("data", "container"),
    [
        (b"P6 2 2 255\n" + bytes(12), "ppm"),
        (b"P6\n# made by hand\n# twice\n2 2\n65535\n" + bytes(24), "ppm"),
        (b"P5\n2 2\n255\n" + bytes(4), "ppm"),
        (b"P3\n1 1\n255\n0 0 0\n", "ppm"),
        (b"P1\n1 1\n0\n", "ppm"),
        (ftyp(b"avis", b"avis", b"msf1"), "avif"),
        (ftyp(b"mif1", b"mif1", b"avif"), "avif"),
        (ftyp(b"mif1", b"mif1", b"heic"), "heic"),
        (ftyp(b"heic", b"mif1", b"heic"), "heic"),
        (ftyp(b"heix"), "heic"),
        (ftyp(b"isom", b"isom", b"iso2", b"mp41"), "mov"),
        (ftyp(b"XYZ1"), "mov"),
        (box(b"wide") + struct.pack(">I4s", 0, b"mdat") + bytes(50), "mov"),
        (struct.pack(">I4sQ", 1, b"mdat", 1 << 33) + bytes(50), "mov"),
        (box(b"moov", box(b"mvhd", bytes(100))), "mov"),
        (box(b"free", bytes(20)) + box(b"mdat"), "mov"),
        (box(b"skip", bytes(20)) + box(b"moov"), "mov"),
        (b"RF64\xff\xff\xff\xffWAVEds64" + bytes(40), "wav"),
        (b"BW64\xff\xff\xff\xffWAVEds64" + bytes(40), "wav"),
        (b"RIFF\xff\xff\xff\xffWAVEfmt " + bytes(40), "wav"),
        (b"#!AMR\n" + bytes(40), "amr"),
        (b"#!AMR-WB\n" + bytes(40), "amr"),
        (b"FORM\0\0\0\x40AIFC" + bytes(40), "aiff"),
        (MP3 * 3, "mp3"),
        (MP3 * 2, "mp3"),
        (MP3, "mp3"),
        (MP3 + b"TAG" + bytes(125), "mp3"),
        (id3(500) + MP3 * 3, "mp3"),
        (id3(500) + bytes(64) + MP3 * 3, "mp3"),
        (id3(3 << 20) + MP3 * 3, "mp3"),
        (id3(300) + ADTS * 4, "aac"),
        (id3(300) + b"fLaC" + bytes(60), "flac"),
        (ADTS * 4, "aac"),
        ((b"\x47\x40\x00\x10" + bytes(184)) * 3, "mpegts"),
        ((bytes(4) + b"\x47\x40\x00\x10" + bytes(184)) * 3, "mpegts"),
        (b"OggS" + bytes(24) + b"\x80theora" + bytes(30), "ogg"),
    ],
)
def test_headers_made_by_hand(data: bytes, container: str) -> None:
    assert look(data).container == container


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", "media_empty", "0 bytes"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "media_unreadable", "web page (HTML), not media. Download"),
        (b"\n  <HTML lang='en'>", "media_unreadable", "web page"),
        (b"\xef\xbb\xbf<!-- a --><!-- b -->\n<!doctype html>", "media_unreadable", "web page"),
        ("<html>".encode("utf-16"), "media_unreadable", "web page"),
        (b'{"error": {"code": 404}}', "media_unreadable", "JSON"),
        (b'[{"a": 1}]', "media_unreadable", "JSON"),
        (b'{"a": "' + b"x" * 9000 + b'"}', "media_unreadable", "JSON"),
        (b"{not json}", "media_unreadable", "plain text"),
        (b"hello", "media_unreadable", "plain text"),
        ("na\u00efve \u2603 text".encode(), "media_unreadable", "plain text"),
        ("plain words".encode("utf-16"), "media_unreadable", "plain text"),
        (b"a" * 4095 + "\u2603".encode() * 100, "media_unreadable", "plain text"),
        (b"#EXTM3U\nhttp://127.0.0.1/seg.ts\n", "media_not_supported", "HLS playlist (M3U8), a list that points"),
        (b"ffconcat version 1.0\nfile a.mp4\n", "media_not_supported", "concat list, a list that points"),
        (b"# mine\nfile 'a.mp4'\n", "media_not_supported", "concat list"),
        (b"file not found", "media_unreadable", "plain text"),
        (b"<?xml version='1.0'?>\n<MPD xmlns='urn:x'>", "media_not_supported", "manifest"),
        (b"<?xml version='1.0'?><playlist>", "media_not_supported", "manifest"),
        (b"[playlist]\nFile1=http://x\n", "media_not_supported", "playlist"),
        (b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n", "media_not_supported", "SDP"),
        (b"<?xml version='1.0'?><feed/>", "media_unreadable", "XML document"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "media_not_supported", "SVG drawing"),
        (b"<?xml version='1.0'?>\n<!-- x -->\n<!DOCTYPE svg PUBLIC 'a'>\n<svg>", "media_not_supported", "SVG"),
        (b"<svg:svg xmlns:svg='x'>", "media_not_supported", "SVG"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "media_not_supported", "PDF"),
        (b"%PDF-1.4\n1 0 obj", "media_not_supported", "PDF"),
        (b"PK\x03\x04\x14\0", "media_not_supported", "ZIP"),
        (b"\x1f\x8b\x08\0", "media_not_supported", "gzip"),
        (b"Rar!\x1a\x07\x01\0", "media_not_supported", "RAR"),
        (bytes(257) + b"ustar\0", "media_not_supported", "tar"),
        (b"\x7fELF\x02\x01\x01\0", "media_unreadable", "program"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "media_unreadable", "git lfs pull"),
        (b"data:image/png;base64,AAAA", "media_unreadable", "data: URL saved as text"),
        (b"\xff\x0a\x80\x70\0\0", "media_not_supported", "JPEG XL"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "media_not_supported", "JPEG XL"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "media_not_supported", "JPEG 2000"),
        (b"8BPS\0\x01" + bytes(8), "media_not_supported", "Photoshop"),
        (b"II+\0\x08\0\0\0" + bytes(8), "media_not_supported", "BigTIFF"),
        (b"MM\0+\0\x08\0\0" + bytes(8), "media_not_supported", "BigTIFF"),
        (b"II*\0\x10\0\0\0CR\x02\0" + bytes(8), "media_not_supported", "raw picture (Canon CR2)"),
        (ftyp(b"crx "), "media_not_supported", "raw picture (Canon CR3)"),
        (b"II*\0\x08\0\0\0\x01\0" + struct.pack("<HHII", 50706, 1, 4, 1) + bytes(4), "media_not_supported", "DNG"),
        (
            b"MM\0*\0\0\0\x08\0\x02" + struct.pack(">HHIIHHII", 254, 4, 1, 1, 330, 4, 1, 99) + bytes(4),
            "media_not_supported",
            "raw picture",
        ),
        (box(b"styp", b"msdh" + bytes(4)), "media_not_supported", "one segment of a stream"),
        (b"\x1a\x45\xdf\xa3\x8b\x42\x82\x88mystuff!", "media_not_supported", "mystuff!"),
        (b"RIFF\x10\0\0\0RMID" + bytes(8), "media_not_supported", "RMID"),
        (b"RF64\x10\0\0\0XXXX" + bytes(8), "media_not_supported", "RF64"),
        (b"FLV\x01\x05\0\0\0\x09", "media_not_supported", "Flash"),
        (b"\x00\x00\x01\xba\x44", "media_not_supported", "program stream"),
        (b"#!AMR_MC1.0\n\0\0", "media_not_supported", "several channels"),
        (id3(20), "media_unreadable", "nothing behind it"),
        (id3(20) + b"\x01\x02\x03" * 50, "media_unreadable", "no sound that is known follows"),
        (bytes(5000), "media_unreadable", "nothing but zeros"),
        (b"\x8e\x14\xdb\xcc" + bytes(range(128, 256)), "media_unreadable", "8e 14 db cc 80 81 82"),
        (b"\xff\xfb\x90\x00" + bytes(4000), "media_unreadable", "ff fb 90 00"),  # one lucky sync word
        (b"\xff\xf1\x50\x80" + bytes(4000), "media_unreadable", "ff f1 50 80"),
        (b"\x47" + bytes(3000), "media_unreadable", "47 00"),
        (b"BM\0\0", "media_unreadable", "42 4d"),
        (b"\x00\x01", "media_unreadable", "00 01"),
    ],
)
def test_strangers_are_refused_by_name(data: bytes, code: str, words: str) -> None:
    error = refused(data)
    assert error.problems[0].code == code
    assert words in error.message


def test_a_refusal_says_what_to_send() -> None:
    assert "Convert it to a format that is read here (PNG, JPEG" in refused(b"8BPS\0\x01" + bytes(8)).message
    assert refused(b"PK\x03\x04\0\0").problems[0].fix == "Unpack it and send the media inside"


@given(
    st.binary(max_size=600)
    | st.sampled_from([b"\xff\xfb", b"ID3", b"II*\0", b"\0\0\0\x18ftyp", b"RIFF", b"\x1aE\xdf\xa3"])
)
def test_no_bytes_break_it(data: bytes) -> None:
    for cut in (data, data[: len(data) // 2]):
        try:
            found = sniff(cut, field="f", size_bytes=len(data))
        except InvalidRequest:
            continue
        assert (found.demuxer is None) == (found.reader == "pillow")


@given(st.integers(0, 60), st.sampled_from([b"<!-- -->", b"<?x?>", b"<", b"#\n", b" ", b"[", b"file ", b"<!--"]))
def test_repeated_openings_take_no_time(count: int, piece: bytes) -> None:
    refused(b"x" if not count else piece * (count * 70))


def test_a_truncated_picture_is_still_told() -> None:
    """That it is cut short is the reader's finding, not a question of what it is."""
    assert look(picture("PNG")[:40]).container == "png"
