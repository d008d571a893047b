// The first declaration of HTTPServer replaces this file.
