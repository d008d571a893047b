/// One value of a document that is being patched.
enum PatchedNode: Sendable {
    /// A range of the text.
    case text(Range<Int>)
    /// A container that was opened, by its number among those of its kind.
    case object(Int)
    case array(Int)
}

/// The elements of an opened array in runs, so that one is put in or taken out without moving all others:
/// a recording may have that done a million times.
struct PatchedElements: Sendable {
    /// A run of more is halved.
    static let runLimit = 4_096

    /// None is empty, unless it is the only one.
    private(set) var runs: [[PatchedNode]]
    private(set) var count: Int

    init(_ elements: [PatchedNode] = []) {
        count = elements.count
        let starts = stride(from: 0, to: count, by: Self.runLimit / 2)
        runs =
            count <= Self.runLimit
            ? [elements] : starts.map { Array(elements[$0...].prefix(Self.runLimit / 2)) }
    }

    /// The run that has an element, or to whose end one is to come, and its index there.
    private func place(of index: Int) -> (run: Int, index: Int) {
        let rest = index - (count - runs[runs.count - 1].count)
        if rest >= 0 { return (runs.count - 1, rest) }
        var (run, index) = (0, index)
        while index >= runs[run].count, run + 1 < runs.count {
            index -= runs[run].count
            run += 1
        }
        return (run, index)
    }

    subscript(index: Int) -> PatchedNode {
        get {
            let place = place(of: index)
            return runs[place.run][place.index]
        }
        set {
            let place = place(of: index)
            runs[place.run][place.index] = newValue
        }
    }

    mutating func insert(_ element: PatchedNode, at index: Int) {
        let (run, index) = place(of: index)
        runs[run].insert(element, at: index)
        count += 1
        guard runs[run].count > Self.runLimit else { return }
        let half = Array(runs[run].suffix(Self.runLimit / 2))
        runs[run].removeLast(half.count)
        runs.insert(half, at: run + 1)
    }

    mutating func remove(at index: Int) {
        let (run, index) = place(of: index)
        runs[run].remove(at: index)
        count -= 1
        if runs[run].isEmpty, runs.count > 1 { runs.remove(at: run) }
    }
}

/// The members of an opened object in their order, each in a slot of its own for good, so that a
/// member is found, put in and taken out without moving the others.
struct PatchedMembers: Sendable {
    struct Member: Sendable {
        /// The bytes that the name stands for.
        let name: [UInt8]
        /// The name in the document's text, with its quotes.
        let spelling: Range<Int>
        var value: PatchedNode
        fileprivate var previous = -1
        fileprivate(set) var next = -1
    }

    /// So many members are looked through for a name.
    private static let searchLimit = 16

    /// Members that are there, and those that were.
    var slots: [Member] = []
    private(set) var first = -1
    private var last = -1
    /// Slots by their names, once one of many members was looked for. No patch names one that stands
    /// there twice.
    private var places: [[UInt8]: Int] = [:]

    /// Puts a member before the one of a slot, or at the end.
    mutating func insert(
        _ name: [UInt8], spelled spelling: Range<Int>, _ value: PatchedNode, before next: Int?
    ) {
        let (slot, previous) = (slots.count, next.map { slots[$0].previous } ?? last)
        slots.append(
            Member(
                name: name, spelling: spelling, value: value, previous: previous, next: next ?? -1))
        if previous < 0 { first = slot } else { slots[previous].next = slot }
        if let next { slots[next].previous = slot } else { last = slot }
        if !places.isEmpty { places[name] = slot }
    }

    /// Takes the member of a slot out.
    mutating func remove(_ slot: Int) {
        let (previous, next) = (slots[slot].previous, slots[slot].next)
        if previous < 0 { first = next } else { slots[previous].next = next }
        if next < 0 { last = previous } else { slots[next].previous = previous }
        places[slots[slot].name] = nil
    }

    mutating func slot(named name: String) -> Int? {
        let name = Array(name.utf8)
        var slot = first
        if places.isEmpty, slots.count > Self.searchLimit {
            places.reserveCapacity(slots.count)
            while slot >= 0 {
                places[slots[slot].name] = slot
                slot = slots[slot].next
            }
        }
        if !places.isEmpty { return places[name] }
        while slot >= 0, slots[slot].name != name { slot = slots[slot].next }
        return slot < 0 ? nil : slot
    }
}
