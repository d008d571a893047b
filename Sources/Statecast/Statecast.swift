// The first declaration of Statecast replaces this file.
