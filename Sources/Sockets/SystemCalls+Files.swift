extension SystemCalls {
    /// The calls on files, failing as the same plan says.
    package var files: FileCalls { FileCalls(system: self) }
}
