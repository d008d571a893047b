import Testing

/// A rule of the house that the texts of the repository keep or break.
///
/// What a rule finds is a sentence behind the place: `Sources/Redux/Store.swift:12: …`.
struct Rule: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let findings: @Sendable (SourceTree) -> [String]

    static let all = [
        Rule(testDescription: "imports are named in the manifest", findings: Layers.dependencies),
        Rule(testDescription: "arrows point down", findings: Layers.upward),
        Rule(testDescription: "modules of the system", findings: Layers.systemImports),
        Rule(testDescription: "models of examples", findings: Layers.models),
        Rule(testDescription: "banned calls", findings: Calls.banned),
        Rule(testDescription: "unsafe code", findings: Calls.unsafe),
        Rule(testDescription: "names that say nothing", findings: Names.empty),
        Rule(testDescription: "names of types", findings: Names.doubled),
        Rule(testDescription: "dead declarations", findings: DeadDeclarations.findings),
        Rule(testDescription: "lines of files", findings: Sizes.files),
        Rule(testDescription: "budgets", findings: { Budgets.findings(in: $0) }),
        Rule(testDescription: "copies", findings: Copies.findings),
    ]
}
