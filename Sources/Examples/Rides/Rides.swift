// The first declaration of Rides replaces this file.
