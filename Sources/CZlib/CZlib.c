#include "CZlib.h"

int czlib_deflate_start(z_stream *stream, int level, int window_bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
}

int czlib_inflate_start(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
