#pragma once

#include <stddef.h>

/// The bytes of all files, with a zero byte behind each.
size_t cpages_byte_count(void);

/// A byte of them; 0 behind the last.
unsigned char cpages_byte(size_t index);
