extension DocumentDecoder {
    /// The type path names an action or a fact.
    func leadsToAction(in tree: ActionTree) -> Bool { kind(in: tree) != nil }

    /// The type path names a fact.
    @inline(__always)
    func leadsToFact(in tree: ActionTree) -> Bool {
        guard tree.hasFact(ofCount: pathEnd - pathStart), pathEnd > pathStart,
            tree.hasFact(endingWith: path[pathEnd - 1])
        else { return false }
        return kind(in: tree) == .fact
    }

    private func kind(in tree: ActionTree) -> ActionTree.Kind? {
        let path = path
        return tree.kind(of: path.span.extracting(pathStart..<pathEnd))
    }
}
