/// Keyed containers of the standard library that are given out again once nobody holds them.
///
/// A `KeyedEncodingContainer` and a `KeyedDecodingContainer` are each one reference to a box of a
/// generic class. To make one, the run time looks up three generic types and a conformance, which
/// takes longer than encoding a small object. Here the boxes are kept by the type of their keys; one
/// that nobody else refers to cannot be used any more by whoever had it, and is as good as new.
package final class ContainerPool {
    /// Safe, as the storage is that of `kept`.
    @safe
    private struct Slot {
        /// The type of the container's keys.
        let keys: ObjectIdentifier
        /// The ``KeptContainer`` of containers by these keys.
        let kept: AnyObject
        /// Where that has its container.
        let storage: UnsafeMutableRawPointer
        /// The slot to look at next; −1 at the end.
        let next: Int
    }

    private var slots: [Slot] = []
    /// The slots to look at first, −1 where there are none; empty as long as nothing is kept.
    private var first: [Int] = []

    private static let chainCount = 32
    private static let greatestCount = 256

    /// A container is one reference, which does not depend on its keys.
    private static let isOneReference =
        MemoryLayout<KeyedDecodingContainer<SampleKey>>.size == MemoryLayout<AnyObject>.size
        && MemoryLayout<KeyedEncodingContainer<SampleKey>>.size == MemoryLayout<AnyObject>.size

    private enum SampleKey: CodingKey {}

    /// A pool without containers.
    package init() {}

    /// The number of a container by keys of a type that nobody holds.
    package func find(_ keys: ObjectIdentifier) -> Int? {
        guard !first.isEmpty else { return nil }
        var number = first[Self.chain(of: keys)]
        while number >= 0 {
            // The storage is the slot's as long as the slot is.
            if slots[number].keys == keys, unsafe Self.isUnused(slots[number].storage) {
                return number
            }
            number = slots[number].next
        }
        return nil
    }

    /// Keeps a container and gives its number; nil where there is no room.
    package func keep<Key>(_ container: KeyedDecodingContainer<Key>) -> Int? {
        keep(container, ObjectIdentifier(Key.self))
    }

    /// Keeps a container and gives its number; nil where there is no room.
    package func keep<Key>(_ container: KeyedEncodingContainer<Key>) -> Int? {
        keep(container, ObjectIdentifier(Key.self))
    }

    /// The container of a number that ``find(_:)`` or ``keep(_:)`` gave for these keys.
    package func decodingContainer<Key>(
        _ number: Int, keyedBy keys: Key.Type
    ) -> KeyedDecodingContainer<Key> {
        // Under the type of these keys stands a container by them; a pool has one kind of containers.
        unsafe unsafeDowncast(
            kept(number, keys), to: KeptContainer<KeyedDecodingContainer<Key>>.self
        ).copy()
    }

    /// The container of a number that ``find(_:)`` or ``keep(_:)`` gave for these keys.
    package func encodingContainer<Key>(
        _ number: Int, keyedBy keys: Key.Type
    ) -> KeyedEncodingContainer<Key> {
        // Under the type of these keys stands a container by them; a pool has one kind of containers.
        unsafe unsafeDowncast(
            kept(number, keys), to: KeptContainer<KeyedEncodingContainer<Key>>.self
        ).copy()
    }

    /// Nobody but the pool holds the container of this number.
    package func isUnused(_ number: Int) -> Bool {
        // The storage is the slot's as long as the slot is.
        unsafe Self.isUnused(slots[number].storage)
    }

    /// Lets all containers go.
    package func removeAll() {
        // Taken out first: what goes meanwhile may ask for a container.
        var slots: [Slot] = []
        swap(&slots, &self.slots)
        first = []
    }

    private func keep<Container>(_ container: Container, _ keys: ObjectIdentifier) -> Int? {
        guard Self.isOneReference, slots.count < Self.greatestCount else { return nil }
        var chains = first
        if chains.isEmpty { chains = [Int](repeating: -1, count: Self.chainCount) }
        let kept = KeptContainer(container)
        let chain = Self.chain(of: keys)
        var slots: [Slot] = []
        swap(&slots, &self.slots)
        let number = slots.count
        slots.append(
            unsafe Slot(keys: keys, kept: kept, storage: kept.storage, next: chains[chain]))
        chains[chain] = number
        swap(&slots, &self.slots)
        first = chains
        return number
    }

    private func kept(_ number: Int, _ keys: Any.Type) -> AnyObject {
        precondition(
            slots[number].keys == ObjectIdentifier(keys), "The number is one of these keys.")
        return slots[number].kept
    }

    private static func chain(of keys: ObjectIdentifier) -> Int {
        let bits = UInt(bitPattern: keys)
        return Int(truncatingIfNeeded: (bits >> 4) ^ (bits >> 10)) & (chainCount - 1)
    }

    /// One reference stands there, see `isOneReference`, and it is the only one to its box.
    private static func isUnused(_ storage: UnsafeMutableRawPointer) -> Bool {
        // The class does not matter, as only its references are counted; of `AnyObject`, a build that
        // is not optimized would count those of a copy.
        unsafe isKnownUniquelyReferenced(&storage.assumingMemoryBound(to: AnyBox.self).pointee)
    }

    /// What a container refers to.
    private final class AnyBox {}
}

/// A container in memory of its own; safe, as the memory is there as long as the object.
@safe
private final class KeptContainer<Container> {
    private let place: UnsafeMutablePointer<Container>

    init(_ container: Container) {
        unsafe place = .allocate(capacity: 1)
        unsafe place.initialize(to: container)
    }

    deinit {
        unsafe place.deinitialize(count: 1)
        unsafe place.deallocate()
    }

    var storage: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(place) }

    /// By itself, so that the type of the container is taken from the object and not looked up.
    @inline(never)
    func copy() -> Container { unsafe place.pointee }
}
