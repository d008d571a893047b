// The first test of House replaces this file.
