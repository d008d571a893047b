// The first declaration of Redux replaces this file.
