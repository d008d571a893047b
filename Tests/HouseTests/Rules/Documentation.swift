/// The first words of documentation.
enum Documentation {
    /// Per cent of the blocks of Sources that may open with a question word.
    static let limit = 5

    /// "What is kept" leaves the reader to guess who keeps it: a sentence names its subject.
    private static let openings: Set<String> = [
        "how", "what", "where", "whether", "who", "whoever", "whom", "whose",
    ]

    static func findings(in tree: SourceTree) -> [Finding] {
        var count = 0
        var questions: [String] = []
        for file in tree.sources {
            for block in file.documentation {
                count += 1
                let word = block.text.split { !$0.isLetter }.first.map { $0.lowercased() } ?? ""
                if openings.contains(word) {
                    questions.append("\(file.path):\(block.lines.lowerBound)")
                }
            }
        }
        guard let first = questions.first, questions.count * 100 > limit * count else { return [] }
        let share = (questions.count * 100 + count - 1) / count
        return [
            Finding(
                .documentationOpenings, "Sources", number: share, at: first,
                "\(questions.count) of \(count) blocks open with what, whether, how, where or who, "
                    + "that is \(share) of a hundred where \(limit) are allowed: name the subject")
        ]
    }
}
