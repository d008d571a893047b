import Redux

extension Loadable where Value == Done {
    /// Ends a fetch whose value stands elsewhere: idle again, or failed.
    mutating func end(_ answer: Answer<some StateValue>) {
        self = answer.problem.map { .failed($0, nil) } ?? .idle
    }
}
