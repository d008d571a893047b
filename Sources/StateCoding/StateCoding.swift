// The first declaration of StateCoding replaces this file.
