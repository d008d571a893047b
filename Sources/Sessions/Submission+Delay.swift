import Redux

extension Submission {
    /// The time by which an interceptor delays the first action that it has delayed.
    package var delay: Duration? {
        let outcomes: [Outcome] =
            switch self {
            case .single(let outcome): [outcome]
            case .batch(.accepted(let outcomes)): outcomes
            case .batch: []
            }
        for case .delayed(let delay) in outcomes { return delay }
        return nil
    }
}
