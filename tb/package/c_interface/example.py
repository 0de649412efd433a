"""The C interface from Python: `example.py LIBRARY`."""

import ctypes
import sys

lib = ctypes.CDLL(sys.argv[1])
lib.smsim_error.restype = ctypes.c_char_p


class Argument(ctypes.Structure):
    _fields_ = [("value", ctypes.c_uint64), ("bytes", ctypes.c_uint32)]


class Launch(ctypes.Structure):
    _fields_ = [
        ("kernel", ctypes.c_char_p),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("dynamic_shared", ctypes.c_uint32),
        ("arguments", ctypes.POINTER(Argument)),
        ("argument_count", ctypes.c_size_t),
    ]


class Result(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint64) for name in ("cycles", "begin", "warp_instructions", "thread_instructions", "warps", "ctas")),
        ("completed", ctypes.c_int32),
        ("exception", ctypes.c_char_p),
    ]


def checked(status):
    if status != 0:
        sys.exit(f"status {status}: {lib.smsim_error().decode()}")


config, program, session = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
checked(lib.smsim_config_create(None, None, ctypes.c_size_t(0), ctypes.byref(config)))
text = b".kernel k\n MOV R0, c[0x0][0x168];\n LDC.64 R[2:3], c[0x0][0x160];\n STG [R[2:3]], R0;\n EXIT;\n"
checked(lib.smsim_program_assemble(config, text, b"k.sasm", ctypes.byref(program)))
checked(lib.smsim_session_create(config, None, ctypes.byref(session)))
place = ctypes.c_uint64(0x10000000)
checked(lib.smsim_session_map(session, place, ctypes.c_uint64(4), b"out"))
arguments = (Argument * 2)(Argument(place.value, 8), Argument(42, 4))
launch = Launch(None, (1, 1, 1), (32, 1, 1), 0, arguments, 2)
result = Result()
checked(lib.smsim_session_launch(session, program, ctypes.byref(launch), ctypes.byref(result)))
out = ctypes.c_uint32()
checked(lib.smsim_session_read(session, place, ctypes.byref(out), ctypes.c_size_t(4)))
print(f"{out.value} after {result.cycles} cycles")
sys.exit(0 if out.value == 42 and result.completed == 1 else 1)
