// The first declaration of Sockets replaces this file.
