// The first declaration of HTTPClient replaces this file.
