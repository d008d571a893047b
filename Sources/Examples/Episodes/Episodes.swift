// The first declaration of Episodes replaces this file.
