extension FailureRule {
    /// True where the members have lawful values.
    var isLawful: Bool {
        let isStatusLawful = status.map { (400...599).contains($0) } ?? true
        let isDelayLawful = delayMilliseconds.map { (0...600_000).contains($0) } ?? true
        return isStatusLawful && isDelayLawful && path.hasPrefix("/")
    }

    func fits(_ request: MockRequest) -> Bool {
        guard method.map({ $0 == request.method }) ?? true else { return false }
        return path.hasSuffix("*")
            ? request.path.hasPrefix(path.dropLast())
            : request.path == path
    }
}
