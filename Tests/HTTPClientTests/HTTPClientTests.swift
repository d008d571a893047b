// The first test of HTTPClient replaces this file.
