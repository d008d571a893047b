#pragma once
#include <zlib.h>

// deflateInit2 and inflateInit2 are macros, which Swift does not import.

int czlib_deflate_start(z_stream *stream, int level, int window_bits, int memory_level);
int czlib_inflate_start(z_stream *stream, int window_bits);
