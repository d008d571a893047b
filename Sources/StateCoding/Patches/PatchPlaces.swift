/// Finds which operations of a sequence a later one makes needless, by the paths alone.
///
/// Operations have numbers, in their order. A tree of the paths' tokens holds those that may still
/// be overwritten: `replace` of a value makes needless what was done to the same value or inside of
/// it before. Where elements are put into an array or taken out, indices change their meaning: from
/// then on what was done inside of the array is overwritten only together with the array. Whether a
/// container is an array the paths do not say, so that a token of digits counts as an index.
///
/// An operation moves up the tree at most once a level: linear in the lengths of all paths, but for
/// that.
struct PatchPlaces: Sendable {
    private struct Node: Sendable {
        /// The nodes below, by their tokens.
        var children: [[UInt8]: Int] = [:]
        /// The last `replace` of this value.
        var replacement: Int?
        /// Operations that made or removed this value.
        var own: [Int] = []
        /// Operations inside of this value whose places are not known any more.
        var inside: [Int] = []
    }

    private var nodes = [Node()]

    /// Takes note of an operation.
    ///
    /// - Returns: the operations that it makes needless.
    mutating func record(
        _ operation: Int, _ kind: PatchOperation.Kind, at path: PatchPath
    ) -> [Int] {
        guard path.count > 0 else { return recordAtRoot(operation) }
        var parent = 0
        for level in 0..<path.count - 1 { parent = child(path.token(level), of: parent) }
        let isIndex = path.index(path.count - 1) != nil
        let token = path.token(path.count - 1)
        if kind == .add, isIndex {
            forgetPlaces(in: parent)
            nodes[parent].inside.append(operation)
            return []
        }
        let node = child(token, of: parent)
        let needless = overwrite(node)
        if kind == .replace {
            nodes[node].replacement = operation
        } else if isIndex {
            forgetPlaces(in: parent)
            nodes[parent].inside.append(operation)
        } else {
            nodes[node].own.append(operation)
        }
        return needless
    }

    private mutating func recordAtRoot(_ operation: Int) -> [Int] {
        let needless = overwrite(0)
        nodes[0].replacement = operation
        return needless
    }

    private mutating func child(_ token: [UInt8], of node: Int) -> Int {
        precondition(nodes.indices.contains(node), "A node is below another one.")
        if let known = nodes[node].children[token] { return known }
        nodes[node].children[token] = nodes.count
        nodes.append(Node())
        return nodes.count - 1
    }

    /// Removes what was done to a value and inside of it, but for what made or removed the value.
    private mutating func overwrite(_ node: Int) -> [Int] {
        var needless = takeBelow(node)
        needless += nodes[node].inside
        nodes[node].inside = []
        if let replacement = nodes[node].replacement { needless.append(replacement) }
        nodes[node].replacement = nil
        return needless
    }

    private mutating func forgetPlaces(in node: Int) {
        nodes[node].inside += takeBelow(node)
    }

    /// Takes all operations out of the nodes below one.
    private mutating func takeBelow(_ node: Int) -> [Int] {
        var found: [Int] = []
        var rest = Array(nodes[node].children.values)
        nodes[node].children = [:]
        while let next = rest.popLast() {
            rest += nodes[next].children.values
            found += nodes[next].own
            found += nodes[next].inside
            if let replacement = nodes[next].replacement { found.append(replacement) }
            nodes[next] = Node()
        }
        return found
    }
}
