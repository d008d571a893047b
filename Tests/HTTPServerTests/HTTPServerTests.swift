// The first test of HTTPServer replaces this file.
