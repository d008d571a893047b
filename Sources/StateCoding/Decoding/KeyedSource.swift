/// What a container by keys of one type reads at present.
final class KeyedSource<Key: CodingKey>: ReaderPool.Source {
    /// The key of an enum's case, in the array that decoding an enum asks for.
    final class Case {
        let keys: [Key]
        fileprivate let name: String
        fileprivate let index: Int
        fileprivate let next: Case?

        fileprivate init(_ key: Key, named name: String, at index: Int, before next: Case?) {
            keys = [key]
            self.name = name
            self.index = index
            self.next = next
        }
    }

    /// The cases that actions have named.
    private var firstCase: Case?

    /// The case with this name; nil where there is none.
    ///
    /// - Parameter index: its place among the cases of its group; −1 where it is not known.
    func cases(named name: String, at index: Int) -> Case? {
        var found = firstCase
        while let candidate = found {
            if candidate.index == index, candidate.name == name { return candidate }
            found = candidate.next
        }
        return learnCase(name, index)
    }

    @inline(never)
    private func learnCase(_ name: String, _ index: Int) -> Case? {
        guard let key = Key(stringValue: name) else { return nil }
        let found = Case(key, named: name, at: index, before: firstCase)
        // As many are kept as the group has cases.
        if index >= 0 { firstCase = found }
        return found
    }
}
