// The first test of HTTPMessages replaces this file.
