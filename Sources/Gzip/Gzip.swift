// The first declaration of Gzip replaces this file.
