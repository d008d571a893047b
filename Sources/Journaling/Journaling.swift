// The first declaration of Journaling replaces this file.
