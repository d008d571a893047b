import Redux

extension ActionCoder {
    /// The shape of the actions that clients may send: one a type, told by `type`.
    package func shape(by finder: inout ShapeFinder) -> Shape {
        finder.isSent = true
        defer { finder.isSent = false }
        var shapes = tree.types.filter { !$0.isFact }.sorted { $0.name < $1.name }
            .map { finder.shape(of: $0) }
        guard tree.isEndless else { return .tagged(shapes) }
        shapes.append(
            finder.gap("Groups of actions stand inside of themselves: their types have no end"))
        return .either(shapes)
    }
}

extension ShapeFinder {
    /// The shape of the actions of one type.
    fileprivate mutating func shape(of type: ActionTree.ListedType) -> Shape {
        var members = [
            Shape.Member(name: "type", shape: .constants([Shape.constant(type.name)]))
        ]
        let labelled = type.values.filter { $0.label != nil }.map {
            member($0.label ?? "", $0.type)
        }
        let others = type.values.filter { $0.label == nil }.map { member("payload", $0.type) }
        let single = others.count > 1 ? .tuple(others.map(\.shape)) : others.first?.shape
        if labelled.isEmpty, let single {
            // A value that may be null may be left out.
            let isRequired = others.count > 1 || others[0].isRequired
            members.append(
                Shape.Member(name: "payload", shape: single, isRequired: isRequired))
        } else if !labelled.isEmpty {
            let name = String(type.name.split(separator: "/").last ?? "")
            let joined = single.map { [Shape.Member(name: name, shape: $0)] } ?? []
            let all = labelled + joined
            members.append(
                Shape.Member(
                    name: "payload", shape: .object(all),
                    isRequired: all.contains(where: \.isRequired)))
        }
        members.append(
            Shape.Member(name: "meta", shape: .anything("Kept in the log"), isRequired: false))
        return .object(members)
    }

    private mutating func member(_ name: String, _ type: Any.Type) -> Shape.Member {
        let shape = shape(of: type)
        var isRequired = true
        if case .maybe = shape { isRequired = false }
        return Shape.Member(name: name, shape: shape, isRequired: isRequired)
    }
}
