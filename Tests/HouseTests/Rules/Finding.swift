/// A place that breaks a rule of the house.
struct Finding: Equatable {
    let rule: Rule
    /// The culprit, by a name that stays when lines move: `Redux.Store`.
    let subject: String
    /// The rule's count, rounded up to its step: lines, times, per cent.
    let number: Int
    /// `Sources/Redux/Store.swift:12`
    let place: String
    /// A sentence that says what to do.
    let advice: String

    init(_ rule: Rule, _ subject: String, number: Int = 1, at place: String, _ advice: String) {
        self.rule = rule
        self.subject = subject
        let step = rule.step
        self.number = (number + step - 1) / step * step
        self.place = place
        self.advice = advice
    }

    init(
        _ rule: Rule, _ subject: String, number: Int = 1, in file: SourceFile, line: Int,
        _ advice: String
    ) {
        self.init(rule, subject, number: number, at: "\(file.path):\(line)", advice)
    }
}
