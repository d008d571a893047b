// The first test of Redux replaces this file.
