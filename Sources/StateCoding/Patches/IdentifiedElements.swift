/// Arrays whose elements have ids, by which they are found again where others came or went.
protocol IdentifiedElements {
    /// Each pair of elements has the same id: one of a former array of this type, and one of this.
    func haveSameIDs(as former: Any, _ pairs: [(old: Int, new: Int)]) -> Bool

    /// For each element of a range the one with the same id among those of a former array; nil
    /// where there is none, or where an id stands there twice and this is not its first element.
    func matches(_ range: Range<Int>, among former: Any, _ others: Range<Int>) -> [Int?]
}

extension Array: IdentifiedElements where Element: Identifiable {
    func haveSameIDs(as former: Any, _ pairs: [(old: Int, new: Int)]) -> Bool {
        guard let former = former as? Self else { return false }
        return pairs.allSatisfy { former[$0.old].id == self[$0.new].id }
    }

    func matches(_ range: Range<Int>, among former: Any, _ others: Range<Int>) -> [Int?] {
        guard let former = former as? Self else { return range.map { _ in nil } }
        var places: [Element.ID: Int] = [:]
        for index in others.reversed() { places[former[index].id] = index }
        return range.map { places.removeValue(forKey: self[$0].id) }
    }
}
