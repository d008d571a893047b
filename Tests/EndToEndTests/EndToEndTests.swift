// The first test of EndToEnd replaces this file.
