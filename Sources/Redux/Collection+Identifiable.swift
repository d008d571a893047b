extension Collection where Element: Identifiable {
    /// The place of the element of an id; a rejection `out-of-scope` where there is none.
    public func index(id: Element.ID) throws(Rejection) -> Index {
        guard let index = firstIndex(where: { $0.id == id }) else { throw .outOfScope }
        return index
    }

    /// The element of an id; nil where there is none.
    public func first(id: Element.ID?) -> Element? {
        guard let id else { return nil }
        return first { $0.id == id }
    }
}
