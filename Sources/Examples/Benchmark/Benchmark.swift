// The first declaration of Benchmark replaces this file.
