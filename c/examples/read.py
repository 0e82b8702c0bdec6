"""Prints an object, with nothing but Python's ctypes: python3 read.py gs://bucket/name"""
import ctypes
import sys

c = ctypes.CDLL("libgcsflux_c.so.0.1")
c.gcsflux_error_message.restype = ctypes.c_char_p
for name in ("client_new", "reader_open", "reader_read_next"):
    getattr(c, "gcsflux_" + name).restype = ctypes.c_void_p


def check(error):
    if error:
        sys.exit(c.gcsflux_error_message(ctypes.c_void_p(error)).decode())


client, reader, read = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(1)
check(c.gcsflux_client_new(None, ctypes.c_size_t(0), ctypes.byref(client)))
check(c.gcsflux_reader_open(client, sys.argv[1].encode(), ctypes.c_int64(0), None, ctypes.byref(reader)))
buffer = ctypes.create_string_buffer(65536)
while read.value:
    check(c.gcsflux_reader_read_next(reader, buffer, ctypes.c_size_t(len(buffer)), ctypes.byref(read)))
    sys.stdout.buffer.write(buffer.raw[: read.value])
c.gcsflux_reader_free(reader)
c.gcsflux_client_free(client)
