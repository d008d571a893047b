// The first test of Examples replaces this file.
