#pragma once

#include <stddef.h>

/// Where a file begins, by its number; behind the last one, where all of them end. A zero byte stands
/// behind each.
size_t cpages_start(size_t file);

/// A byte of all files; 0 behind the last.
unsigned char cpages_byte(size_t index);
