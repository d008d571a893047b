import Testing

extension TestProgress.Step {
    /// Compares the end of the step with what a test's closure makes of its start; an error of the
    /// closure is recorded.
    func difference(
        _ sourceLocation: SourceLocation, from change: (inout State) throws -> Void
    ) -> String? {
        var expected = start
        do {
            try change(&expected)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
        return difference(from: expected)
    }
}
