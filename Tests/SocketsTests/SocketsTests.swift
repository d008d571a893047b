// The first test of Sockets replaces this file.
