// The first declaration of Counter replaces this file.
