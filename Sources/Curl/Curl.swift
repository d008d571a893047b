// The first declaration of Curl replaces this file.
