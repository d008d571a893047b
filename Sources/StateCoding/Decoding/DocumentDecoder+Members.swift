extension DocumentDecoder {
    /// A container by keys over what stands at `place`.
    func container<Key>(
        keyedBy keys: Key.Type, at place: Place, as role: KeyedRole
    ) -> KeyedDecodingContainer<Key> {
        if let readers,
            let number = readers.move(keys, to: place, of: self, as: role)
        {
            return readers.container(number, keyedBy: keys)
        }
        return makeContainer(keys, place, role)
    }

    @inline(never)
    private func makeContainer<Key>(
        _ keys: Key.Type, _ place: Place, _ role: KeyedRole
    ) -> KeyedDecodingContainer<Key> {
        let source = KeyedSource<Key>(self, place, role)
        guard let readers, readers.keepsNext() else {
            return KeyedDecodingContainer(KeyedReader(source))
        }
        return readers.makeKept(source)
    }

    /// The place of a member of the object that a container reads; nil if the member, or the payload,
    /// is absent.
    func member(_ name: String, of source: ReaderPool.Source) throws -> Place? {
        let place = source.place
        guard place.index >= 0 else { return nil }
        let object = Int(place.index)
        guard tape.entries[object].kind == .object else {
            // The type that an error names where an object is missing, as in JSONDecoder; no value.
            throw mismatch([String: Any].self, "An object", place)
        }
        guard let value = tape.member(name, of: object, from: source.nextMember) else { return nil }
        source.nextMember = Int(tape.entries[value].next)
        return place.inner(Int32(truncatingIfNeeded: value))
    }
}
