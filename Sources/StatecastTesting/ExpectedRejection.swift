import Redux

/// The rejection that a test expects of an action.
struct ExpectedRejection {
    let code: String
    /// The place in the payload that is wrong; nil: it does not matter.
    var field: String?

    /// The failure of the test in words, where the outcome of an action is another one.
    func failure(of outcome: Outcome, of name: String) -> String? {
        guard case .rejected(let rejection) = outcome else {
            return "\(name) was to be rejected as \"\(code)\", and was \(outcome)"
        }
        guard rejection.code == code else {
            return "\(name) was to be rejected as \"\(code)\", and was as \(Self.text(rejection))"
        }
        let fields = rejection.faults.filter { $0.code == code }.map(\.field)
        guard let field, !fields.contains(field) else { return nil }
        let found = Self.text(rejection)
        return "\(name) was to be rejected for its field \(field), and was as \(found)"
    }

    /// The failure of the test in words, where the outcome of a batch is another one.
    func failure(of outcome: BatchOutcome, at index: Int) -> String? {
        if case .rejected(index, let rejection) = outcome, rejection.code == code { return nil }
        return "The batch was to be rejected at \(index) as \"\(code)\", and was \(outcome)"
    }

    /// A rejection as failures tell it.
    static func text(_ rejection: Rejection) -> String {
        "\"\(rejection.code)\": \(rejection.message)"
    }
}
