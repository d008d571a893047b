/// The judgement of one rule: its findings, held against the list of what is allowed.
struct Verdict {
    /// Each with its place and what to do; none where all is well.
    private(set) var complaints: [String] = []
    /// The rows that would allow what there is now. What has no row yet has issue 0: which of the
    /// issues ends it is for its author to say.
    let rows: [Allowance]

    /// The issues that may have rows: those that rebuild what stands.
    static let issues = 2...4

    init(_ rule: Rule, findings: [Finding], allowances: [Allowance]) {
        let allowed = allowances.filter { $0.rule == rule }
        let groups = Dictionary(grouping: findings, by: \.subject)
        rows = groups.keys.sorted().map { subject in
            let row = allowed.first { $0.subject == subject }
            return Allowance(
                rule, subject, Self.number(groups[subject] ?? []), issue: row?.issue ?? 0)
        }
        for subject in groups.keys.sorted() {
            judge(
                groups[subject] ?? [], row: allowed.first { $0.subject == subject },
                ceiling: rule.ceiling)
        }
        for (index, row) in allowed.enumerated() {
            if groups[row.subject] == nil {
                complaints.append("\(row.subject) keeps the rule now: strike the row \(row)")
            }
            if allowed[..<index].contains(where: { $0.subject == row.subject }) {
                complaints.append("\(row.subject) has two rows: strike one of them")
            }
            if !Self.issues.contains(row.issue) {
                complaints.append("the row \(row) names none of the issues \(Self.issues)")
            }
        }
    }

    private static func number(_ findings: [Finding]) -> Int {
        findings.reduce(0) { $0 + $1.number }
    }

    private mutating func judge(_ findings: [Finding], row: Allowance?, ceiling: Int?) {
        let number = Self.number(findings)
        let tooHigh = findings.filter { finding in ceiling.map { finding.number > $0 } ?? false }
        if !tooHigh.isEmpty {
            complaints += tooHigh.map { "\($0.place): \($0.advice); no row allows so much" }
        } else if let row, number < row.number {
            complaints.append("\(row.subject) is down to \(number): lower the row \(row)")
        } else if let row, number > row.number {
            complaints += findings.map { "\($0.place): \($0.advice); \(row.number) is allowed" }
        } else if row == nil {
            complaints += findings.map { "\($0.place): \($0.advice)" }
        }
    }
}
