// The first test of Statecast replaces this file.
