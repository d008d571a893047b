// The first test of MockUpstream replaces this file.
