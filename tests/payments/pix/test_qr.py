import json
import struct
import zlib
from pathlib import Path

import pytest
import zxingcpp

from app.payments.pix.qr import as_png, as_svg

VECTORS = json.loads((Path(__file__).parents[1] / "vectors.json").read_text())
CODES = [vector["code"] for vector in VECTORS["brcode_official"]]


class Picture:
    """A grey PNG of one bit a pixel, as the decoder wants to see it: one byte a pixel."""

    def __init__(self, png: bytes) -> None:
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        width, height, depth, colours = struct.unpack(">IIBB", png[16:26])
        assert (depth, colours) == (1, 0)
        begin, packed = 8, b""
        while begin < len(png):
            length, kind = struct.unpack(">I4s", png[begin : begin + 8])
            packed += png[begin + 8 : begin + 8 + length] if kind == b"IDAT" else b""
            begin += 12 + length
        rows = zlib.decompress(packed)
        stride = 1 + (width + 7) // 8
        self.pixels = bytearray()
        above = bytes(stride - 1)
        for row in range(height):
            line = rows[row * stride + 1 : (row + 1) * stride]
            match rows[row * stride]:
                case 2:
                    above = bytes((here + up) % 256 for here, up in zip(line, above, strict=True))
                case kind:
                    assert kind == 0, "this little reader knows no other filter"
                    above = line
            bits = "".join(f"{byte:08b}" for byte in above)
            self.pixels += bytes(255 * (bit == "1") for bit in bits[:width])
        self.shape = (height, width)


@pytest.mark.parametrize("code", CODES, ids=lambda code: code[-4:])
def test_another_program_reads_the_picture_back(code: str) -> None:
    picture = Picture(as_png(code))

    seen = zxingcpp.read_barcodes(
        memoryview(picture.pixels).cast("B", shape=picture.shape),
        formats=zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode),
    )

    assert [each.text for each in seen] == [code]


def test_the_drawing_takes_the_size_of_its_place_and_stays_black_on_white() -> None:
    drawing = as_svg(CODES[0])

    assert drawing.startswith("<svg viewBox=")
    assert ' width="' not in drawing.partition(">")[0]
    assert 'fill="#fff"' in drawing
    assert 'stroke="#000"' in drawing
