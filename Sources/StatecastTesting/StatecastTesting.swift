// The first declaration of StatecastTesting replaces this file.
