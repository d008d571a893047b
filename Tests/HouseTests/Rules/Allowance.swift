/// A row of the list of what still breaks a rule, and of the issue that ends it.
struct Allowance: Equatable, CustomStringConvertible {
    let rule: Rule
    let subject: String
    /// The count of now: not one more is allowed, and a row that allows more is refused.
    let number: Int
    /// The issue that removes the row, of the seven that lead to the first version.
    let issue: Int

    init(_ rule: Rule, _ subject: String, _ number: Int = 1, issue: Int) {
        self.rule = rule
        self.subject = subject
        self.number = number
        self.issue = issue
    }

    /// The row as the list holds it.
    var description: String {
        let count = number == 1 ? "" : ", \(number)"
        return ".init(.\(rule.rawValue), \"\(subject)\"\(count), issue: \(issue)),"
    }
}
