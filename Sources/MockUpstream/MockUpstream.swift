// The first declaration of MockUpstream replaces this file.
