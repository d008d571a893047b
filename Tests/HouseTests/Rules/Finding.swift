/// A place that breaks a rule of the house.
struct Finding: Equatable {
    let rule: Rule
    /// The culprit, by a name that stays when lines move: `Redux.Store`.
    let subject: String
    /// `Sources/Redux/Store.swift:12`
    let place: String
    /// A sentence that says what to do.
    let advice: String

    init(_ rule: Rule, _ subject: String, at place: String, _ advice: String) {
        self.rule = rule
        self.subject = subject
        self.place = place
        self.advice = advice
    }

    init(
        _ rule: Rule, _ subject: String, in file: SourceFile, line: Int, _ advice: String
    ) {
        self.init(rule, subject, at: "\(file.path):\(line)", advice)
    }
}
