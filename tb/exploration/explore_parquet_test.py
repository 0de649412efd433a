"""Parquet files contain what was written: they are read back by a small decoder that shares nothing with the writer."""

import math
import struct
import unittest
import unittest.mock

from explore_support import ExploreTest, completed, failed

import pandas

from smsim import parquet, tables

BOOLEAN, INT64, DOUBLE, BYTE_ARRAY = 0, 2, 5, 6
STRUCT, LIST = 12, 9


class Thrift:
    """Reads the compact protocol into {field number: value}."""

    def __init__(self, data, place=0):
        self.data, self.place = data, place

    def byte(self):
        self.place += 1
        return self.data[self.place - 1]

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            number = self.varint()
            return number >> 1 if number % 2 == 0 else -(number >> 1) - 1
        if kind == 8:
            length = self.varint()
            self.place += length
            return self.data[self.place - length : self.place]
        if kind == LIST:
            head = self.byte()
            length = self.varint() if head >> 4 == 15 else head >> 4
            return [self.value(head & 15) for _ in range(length)]
        assert kind == STRUCT, kind
        return self.struct()

    def struct(self):
        fields, number = {}, 0
        while True:
            head = self.byte()
            if head == 0:
                return fields
            assert head >> 4, "long form of a field's number"
            number += head >> 4
            fields[number] = self.value(head & 15)


def levels(data, count):
    """Definition levels of bit width 1, runs of both kinds."""
    reader, found = Thrift(data), []
    while reader.place < len(data):
        head = reader.varint()
        if head & 1:
            for byte in data[reader.place : reader.place + (head >> 1)]:
                found += [byte >> bit & 1 for bit in range(8)]
            reader.place += head >> 1
        else:
            found += [reader.byte()] * (head >> 1)
    return found[:count]


def values(kind, data, count):
    if kind == INT64:
        return list(struct.unpack_from(f"<{count}q", data))
    if kind == DOUBLE:
        return list(struct.unpack_from(f"<{count}d", data))
    if kind == BOOLEAN:
        return [bool(data[index // 8] >> index % 8 & 1) for index in range(count)]
    found, place = [], 0
    for _ in range(count):
        length = struct.unpack_from("<I", data, place)[0]
        found.append(data[place + 4 : place + 4 + length].decode("utf-8"))
        place += 4 + length
    return found


def column(data, chunk, rows):
    """The values of a column chunk, read page by page."""
    meta, found = chunk[3], []
    place = meta[9]
    while len(found) < rows:
        reader = Thrift(data, place)
        header = reader.struct()
        body = data[reader.place : reader.place + header[3]]
        count = header[5][1]
        size = struct.unpack_from("<I", body)[0]
        present = levels(body[4 : 4 + size], count)
        there = iter(values(meta[1], body[4 + size :], sum(present)))
        found += [next(there) if level else None for level in present]
        place = reader.place + header[3]
    assert place - meta[9] == meta[6] == meta[7] and meta[5] == rows
    return found


def read(data):
    """({column: values}, {column: type}) of a Parquet file."""
    assert data[:4] == data[-4:] == b"PAR1"
    size = struct.unpack("<I", data[-8:-4])[0]
    footer = Thrift(data[-8 - size : -8]).struct()
    names = [element[4].decode() for element in footer[2][1:]]
    kinds = [element[1] for element in footer[2][1:]]
    assert footer[2][0][5] == len(names)
    found = {name: [] for name in names}
    for group in footer[4]:
        for chunk in group[1]:
            found[".".join(part.decode() for part in chunk[3][3])] = column(data, chunk, group[3])
    assert all(len(listed) == footer[3] for listed in found.values())
    return found, dict(zip(names, kinds))


def table(**columns):
    return pandas.DataFrame({name: pandas.Series(listed, dtype=object) for name, listed in columns.items()})


class Parquet(ExploreTest):
    def test_types_and_missing_values_come_back(self):
        written = {
            "whole": [1, None, -(1 << 63), (1 << 63) - 1],
            "real": [0.1, None, 1e308, -math.inf],
            "flag": [True, None, False, True],
            "words": ["é☃😀", None, "", "a\x00b"],
            "nothing": [None, None, None, None],
        }
        found, kinds = read(parquet.encode(table(**written)))
        self.assertEqual(found, written)
        self.assertEqual(
            kinds, {"whole": INT64, "real": DOUBLE, "flag": BOOLEAN, "words": BYTE_ARRAY, "nothing": DOUBLE}
        )

    def test_mixed_values_and_integers_beyond_64_bits_are_text(self):
        found, kinds = read(parquet.encode(table(mixed=[1, "auto"], huge=[1 << 70, 2], number=[1, 2.5])))
        self.assertEqual(kinds, {"mixed": BYTE_ARRAY, "huge": BYTE_ARRAY, "number": DOUBLE})
        self.assertEqual(found, {"mixed": ["1", "auto"], "huge": ["1180591620717411303424", "2"], "number": [1, 2.5]})

    def test_an_empty_table_has_its_columns(self):
        found, _ = read(parquet.encode(table(a=[], b=[])))
        self.assertEqual(found, {"a": [], "b": []})

    def test_long_columns_are_several_pages(self):
        rows = 205
        whole = [row if row % 3 else None for row in range(rows)]
        flags = [row % 7 == 0 for row in range(rows)]
        with unittest.mock.patch.object(parquet, "PAGE_ROWS", 100):
            found, _ = read(parquet.encode(table(whole=whole, flags=flags, words=["x" * 300] * rows)))
        self.assertEqual(found["whole"], whole)
        self.assertEqual(found["flags"], flags)
        self.assertEqual(set(found["words"]), {"x" * 300})

    def test_a_lone_surrogate_is_replaced(self):
        self.assertEqual(read(parquet.encode(table(a=["\udc80"])))[0], {"a": ["?"]})

    def test_more_than_fourteen_columns_fit_into_the_footer(self):
        written = {f"column.{number}": [number] for number in range(40)}
        self.assertEqual(read(parquet.encode(table(**written)))[0], written)

    def test_a_sweeps_file_holds_every_point(self):
        self.write_sweep({"a": [1, 2]}, [("k", (1,), completed(100)), ("k", (2,), failed("crashed", "signal 6"))])
        found, kinds = read(tables.parquet_bytes(self.load()))
        self.assertEqual(found["cycles"], [100, None])
        self.assertEqual(found["ipc"], [1.0, None])
        self.assertEqual((found["status"], found["message"]), (["completed", "crashed"], ["", "signal 6"]))
        self.assertEqual((kinds["a"], kinds["cycles"], kinds["seconds"]), (INT64, INT64, DOUBLE))


if __name__ == "__main__":
    unittest.main()
