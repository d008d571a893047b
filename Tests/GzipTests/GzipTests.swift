// The first test of Gzip replaces this file.
