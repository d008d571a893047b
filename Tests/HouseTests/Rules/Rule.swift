import Testing

/// A rule of the house that the texts of the repository keep or break.
enum Rule: String, CaseIterable, CustomTestStringConvertible {
    case fileLines
    case emptyNames
    case doubledNames
    case bannedCalls
    case unsafeCode
    case dependencies
    case layers
    case deadDeclarations
    case problemCodes
    case budgets
    case copies

    var testDescription: String { rawValue }

    func findings(in tree: SourceTree) -> [Finding] {
        switch self {
        case .fileLines: Sizes.files(in: tree)
        case .emptyNames: Names.empty(in: tree)
        case .doubledNames: Names.doubled(in: tree)
        case .bannedCalls: Calls.banned(in: tree)
        case .unsafeCode: Calls.unsafe(in: tree)
        case .dependencies: Dependencies.imports(in: tree) + Dependencies.strays(in: tree)
        case .layers: Layers.findings(in: tree) + ExampleModels.findings(in: tree)
        case .deadDeclarations: DeadDeclarations.findings(in: tree)
        case .problemCodes: ProblemCodes.findings(in: tree)
        case .budgets: Budgets.findings(in: tree)
        case .copies: Copies.findings(in: tree)
        }
    }
}
