import Testing

/// A rule of the house that the texts of the repository keep or break.
enum Rule: String, CaseIterable, CustomTestStringConvertible {
    case typeLines
    case ownerLines
    case slices
    case functionLines
    case fileLines
    case emptyNames
    case doubledNames
    case strangers
    case bannedCalls
    case unsafeCode
    case dependencies
    case layers
    case deadDeclarations
    case problemCodes
    case questions
    case documentationOpenings
    case assertions
    case publicDeclarations
    case socketFiles

    var testDescription: String { rawValue }

    /// The step of the numbers in the list, so that not every line that is written changes a row.
    var step: Int {
        switch self {
        case .typeLines, .ownerLines, .slices, .publicDeclarations: 10
        default: 1
        }
    }

    /// The number above which no row helps.
    var ceiling: Int? {
        switch self {
        case .functionLines: Sizes.ceiling
        case .fileLines, .layers: 0
        default: nil
        }
    }

    func findings(in tree: SourceTree) -> [Finding] {
        switch self {
        case .typeLines: Sizes.types(in: tree)
        case .ownerLines: OwnerLines.findings(in: tree)
        case .slices: Sizes.slices(in: tree)
        case .functionLines: Sizes.functions(in: tree)
        case .fileLines: Sizes.files(in: tree)
        case .emptyNames: Names.empty(in: tree)
        case .doubledNames: Names.doubled(in: tree)
        case .strangers: Names.strangers(in: tree)
        case .bannedCalls: Calls.banned(in: tree)
        case .unsafeCode: Calls.unsafe(in: tree)
        case .dependencies: Dependencies.imports(in: tree) + Dependencies.strays(in: tree)
        case .layers: Layers.findings(in: tree) + ExampleModels.findings(in: tree)
        case .deadDeclarations: DeadDeclarations.findings(in: tree)
        case .problemCodes: ProblemCodes.findings(in: tree)
        case .questions: Questions.findings(in: tree)
        case .documentationOpenings: Documentation.findings(in: tree)
        case .assertions: Assertions.findings(in: tree)
        case .publicDeclarations: PublicDeclarations.findings(in: tree)
        case .socketFiles: SocketFiles.findings(in: tree)
        }
    }
}
