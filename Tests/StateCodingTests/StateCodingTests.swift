// The first test of StateCoding replaces this file.
