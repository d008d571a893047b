/// Keyed containers of the standard library that are given out again once nobody holds them.
///
/// A `KeyedEncodingContainer` and a `KeyedDecodingContainer` are each one reference to a box of a
/// generic class. To make one, the run time looks up three generic types and a conformance, which
/// takes longer than encoding a small object. Here the boxes are kept by the type of their keys; one
/// that nobody else refers to cannot be used any more by whoever had it, and is as good as new.
///
/// Beside a container stands its *target*, an object that says what the container reads, or where it
/// writes, at present: all targets of a pool are of one class.
package final class ContainerPool {
    /// Safe, as the storage is that of `kept`.
    @safe
    private struct Slot {
        let kind: Kind
        /// The type of the container's keys.
        let keys: ObjectIdentifier
        /// The ``KeptContainer`` of containers by these keys.
        let kept: AnyObject
        let target: AnyObject
        /// Where the kept one has its container.
        let storage: UnsafeMutableRawPointer
        /// The slot to look at next; −1 at the end.
        let next: Int
    }

    private var slots: [Slot] = []
    /// The slots to look at first, −1 where there are none; empty as long as nothing is kept.
    private var first: [Int] = []

    /// The numbers given out since the pool was swept, a bit each; the last one is for all others.
    private var given: UInt64 = 0
    /// The number of containers that were made.
    private var madeCount = 0

    private static let chainCount = 32
    /// Many objects inside of each other hold as many containers at once: so many of one type are kept.
    private static let greatestSameCount = 8
    private static let greatestCount = 1024
    /// Keeping containers of one document is worth its making once so many were made.
    private static let worthwhileCount = 8

    private enum Kind { case decoding, encoding }

    /// A container is one reference, which does not depend on its keys.
    private static let isOneReference =
        MemoryLayout<KeyedDecodingContainer<SampleKey>>.size == MemoryLayout<AnyObject>.size
        && MemoryLayout<KeyedEncodingContainer<SampleKey>>.size == MemoryLayout<AnyObject>.size

    private enum SampleKey: CodingKey {}

    /// A pool without containers: for many documents, one after the other, or for one.
    package init(forMany isForMany: Bool = false) {
        madeCount = isForMany ? Self.worthwhileCount : 0
    }

    /// The document has ended: containers are let go, and those that are made for it nevertheless are
    /// not kept.
    package func close() {
        removeAll()
        madeCount = .min
    }

    /// One more container is made; the answer says whether it is worth being kept.
    package func keepsNext() -> Bool {
        madeCount += 1
        return madeCount > Self.worthwhileCount
    }

    /// The number of a container by keys of a type that nobody holds, to be given to somebody.
    package func find(_ keys: ObjectIdentifier) -> Int? {
        guard !first.isEmpty else { return nil }
        var number = first[Self.chain(of: keys)]
        while number >= 0 {
            // The storage is the slot's as long as the slot is.
            if slots[number].keys == keys, unsafe Self.isUnused(slots[number].storage) {
                given |= Self.bit(number)
                return number
            }
            number = slots[number].next
        }
        return nil
    }

    /// Keeps a container, if there is room, which somebody holds for now.
    @discardableResult
    package func keep<Key>(
        _ container: KeyedDecodingContainer<Key>, _ target: AnyObject
    ) -> Bool {
        keep(container, target, ObjectIdentifier(Key.self), .decoding)
    }

    /// Keeps a container, if there is room, which somebody holds for now.
    package func keep<Key>(
        _ container: KeyedEncodingContainer<Key>, _ target: AnyObject
    ) -> Bool {
        keep(container, target, ObjectIdentifier(Key.self), .encoding)
    }

    /// The target of the container of a number, of the class that all targets have.
    package func target<Target: AnyObject>(_ number: Int, as type: Target.Type) -> Target {
        assert(slots[number].target is Target, "All targets are of one class.")
        // The pool's owner gave an object of this class with each container.
        return unsafe unsafeDowncast(slots[number].target, to: type)
    }

    /// The container of a number that ``find(_:)`` gave for these keys.
    package func decodingContainer<Key>(
        _ number: Int, keyedBy keys: Key.Type
    ) -> KeyedDecodingContainer<Key> {
        // A container of this kind by these keys was kept under the number.
        unsafe unsafeDowncast(
            kept(number, keys, .decoding), to: KeptContainer<KeyedDecodingContainer<Key>>.self
        ).copy()
    }

    /// The container of a number that ``find(_:)`` gave for these keys.
    package func encodingContainer<Key>(
        _ number: Int, keyedBy keys: Key.Type
    ) -> KeyedEncodingContainer<Key> {
        // A container of this kind by these keys was kept under the number.
        unsafe unsafeDowncast(
            kept(number, keys, .encoding), to: KeptContainer<KeyedEncodingContainer<Key>>.self
        ).copy()
    }

    /// Takes back the containers that were given out, and calls with the target of each. Lets all go
    /// where somebody still holds one: who has kept a container keeps its target.
    ///
    /// - Returns: nobody holds one.
    @discardableResult
    package func sweep<Target: AnyObject>(
        _ type: Target.Type, _ release: (Target) -> Void
    ) -> Bool {
        while given != 0 {
            let bit = given.trailingZeroBitCount
            given &= given - 1
            for number in bit..<(bit == 63 ? slots.count : bit + 1) {
                // The storage is the slot's as long as the slot is.
                guard unsafe Self.isUnused(slots[number].storage) else {
                    removeAll()
                    return false
                }
                release(target(number, as: type))
            }
        }
        return true
    }

    /// Lets all containers go.
    package func removeAll() {
        first = []
        given = 0
        // Taken out first, and what goes meanwhile finds an empty pool.
        var slots: [Slot] = []
        swap(&slots, &self.slots)
    }

    private func keep<Container>(
        _ container: Container, _ target: AnyObject, _ keys: ObjectIdentifier, _ kind: Kind
    ) -> Bool {
        let number = slots.count
        guard Self.isOneReference, number < Self.greatestCount,
            slots.count(where: { $0.keys == keys }) < Self.greatestSameCount
        else { return false }
        var chains = first
        if chains.isEmpty { chains = [Int](repeating: -1, count: Self.chainCount) }
        let kept = KeptContainer(container)
        let chain = Self.chain(of: keys)
        // Taken out while it changes, which spares the run time its check that no second access
        // overlaps, here and where containers are looked for.
        var slots: [Slot] = []
        swap(&slots, &self.slots)
        slots.append(
            unsafe Slot(
                kind: kind, keys: keys, kept: kept, target: target, storage: kept.storage,
                next: chains[chain]))
        swap(&slots, &self.slots)
        chains[chain] = number
        first = chains
        given |= Self.bit(number)
        return true
    }

    private func kept(_ number: Int, _ keys: Any.Type, _ kind: Kind) -> AnyObject {
        guard slots[number].kind == kind, slots[number].keys == ObjectIdentifier(keys) else {
            preconditionFailure("The number is that of a container of this kind by these keys.")
        }
        return slots[number].kept
    }

    private static func bit(_ number: Int) -> UInt64 { 1 << UInt64(min(number, 63)) }

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

    /// By itself, so that the type of the container is taken from the object and not looked up; and so
    /// that no code reads the memory as a container while it is read as a reference.
    @inline(never)
    func copy() -> Container { unsafe place.pointee }
}
