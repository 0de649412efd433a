"""Writes a table as Apache Parquet, for which Debian 12 has no Python package.

The simplest form that readers accept: one row group, no compression, every column optional with PLAIN values in data
pages of version 1, and the footer in Thrift's compact protocol. Types are INT64, DOUBLE, BOOLEAN and UTF-8 text. A
missing value (None, NaN, pandas.NA) is null.
"""

import struct

import pandas

MAGIC = b"PAR1"
# Numbers of the format: parquet.thrift.
BOOLEAN, INT64, DOUBLE, BYTE_ARRAY = 0, 2, 5, 6
OPTIONAL = 1
UTF8 = 0
PLAIN, RLE = 0, 3
UNCOMPRESSED = 0
DATA_PAGE = 0
VERSION = 1
# The maximum number of rows of a page, whose size is a 32-bit number.
PAGE_ROWS = 1 << 16
INT64_RANGE = range(-(1 << 63), 1 << 63)


class Struct:
    """A structure in Thrift's compact protocol; fields are added in ascending order of their numbers."""

    I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12

    def __init__(self):
        self._bytes = bytearray()
        self._last = 0

    def i32(self, number, value):
        return self._field(number, self.I32, zigzag(value))

    def i64(self, number, value):
        return self._field(number, self.I64, zigzag(value))

    def text(self, number, value):
        return self._field(number, self.BINARY, _binary(value))

    def struct(self, number, value):
        return self._field(number, self.STRUCT, value.encode())

    def structs(self, number, values):
        return self._list(number, self.STRUCT, [value.encode() for value in values])

    def i32s(self, number, values):
        return self._list(number, self.I32, [zigzag(value) for value in values])

    def texts(self, number, values):
        return self._list(number, self.BINARY, [_binary(value) for value in values])

    def encode(self):
        return bytes(self._bytes) + b"\0"

    def _field(self, number, kind, encoded):
        self._bytes.append((number - self._last) << 4 | kind)
        self._bytes += encoded
        self._last = number
        return self

    def _list(self, number, kind, encoded):
        head = bytes([len(encoded) << 4 | kind]) if len(encoded) < 15 else bytes([0xF0 | kind]) + varint(len(encoded))
        return self._field(number, self.LIST, head + b"".join(encoded))


def varint(value):
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def zigzag(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _binary(value):
    encoded = _utf8(value)
    return varint(len(encoded)) + encoded


def _utf8(value):
    """Lone surrogates, which file names may contain, have no UTF-8 form and become question marks."""
    return value.encode("utf-8", errors="replace")


def kind_of(values):
    """The narrowest type for all values that are not None; text if they are of several kinds."""
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, bool) for value in present):
        return BOOLEAN
    if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in present):
        return BYTE_ARRAY
    if any(isinstance(value, int) and value not in INT64_RANGE for value in present):
        return BYTE_ARRAY
    return INT64 if present and all(isinstance(value, int) for value in present) else DOUBLE


def plain(kind, values):
    """The values, none of them None, in the encoding PLAIN."""
    if kind == INT64:
        return struct.pack(f"<{len(values)}q", *values)
    if kind == DOUBLE:
        return struct.pack(f"<{len(values)}d", *values)
    if kind == BOOLEAN:
        bits = sum(1 << index for index, value in enumerate(values) if value)
        return bits.to_bytes((len(values) + 7) // 8, "little")
    encoded = [_utf8(value if isinstance(value, str) else str(value)) for value in values]
    return b"".join(struct.pack("<I", len(value)) + value for value in encoded)


def definition_levels(values):
    """Runs of 1 (present) and 0 (null), each as length and value, preceded by the total length."""
    runs = []
    for value in values:
        level = int(value is not None)
        if runs and runs[-1][1] == level:
            runs[-1][0] += 1
        else:
            runs.append([1, level])
    encoded = b"".join(varint(length << 1) + bytes([level]) for length, level in runs)
    return struct.pack("<I", len(encoded)) + encoded


def page(kind, values):
    """A data page with its header."""
    data = definition_levels(values) + plain(kind, [value for value in values if value is not None])
    header = (
        Struct()
        .i32(1, DATA_PAGE)
        .i32(2, len(data))
        .i32(3, len(data))
        .struct(5, Struct().i32(1, len(values)).i32(2, PLAIN).i32(3, RLE).i32(4, RLE))
    )
    return header.encode() + data


def native(value):
    """A cell of a pandas table as None, bool, int, float or text."""
    if isinstance(value, (list, dict, tuple)):
        return str(value)
    if pandas.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value


def encode(table):
    """The bytes of a Parquet file with the rows and columns of a pandas table."""
    body = bytearray(MAGIC)
    schema = [Struct().text(4, "schema").i32(5, len(table.columns))]
    chunks = []
    for name in table.columns:
        values = [native(value) for value in table[name]]
        kind = kind_of(values)
        element = Struct().i32(1, kind).i32(3, OPTIONAL).text(4, name)
        schema.append(element.i32(6, UTF8) if kind == BYTE_ARRAY else element)
        start = len(body)
        for first in range(0, len(values), PAGE_ROWS):
            body += page(kind, values[first : first + PAGE_ROWS])
        size = len(body) - start
        meta = Struct().i32(1, kind).i32s(2, [PLAIN, RLE]).texts(3, [name]).i32(4, UNCOMPRESSED)
        meta.i64(5, len(values)).i64(6, size).i64(7, size).i64(9, start)
        chunks.append((size, Struct().i64(2, start).struct(3, meta)))
    groups = []
    if len(table) and chunks:
        total = sum(size for size, _ in chunks)
        groups = [Struct().structs(1, [chunk for _, chunk in chunks]).i64(2, total).i64(3, len(table))]
    footer = Struct().i32(1, VERSION).structs(2, schema).i64(3, len(table)).structs(4, groups).text(6, "smsim").encode()
    return bytes(body) + footer + struct.pack("<I", len(footer)) + MAGIC
