// The first declaration of HTTPMessages replaces this file.
