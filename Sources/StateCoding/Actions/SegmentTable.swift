import Bytes

/// The segments of a tree's type paths, to be found by their bytes without a copy of anything.
struct SegmentTable {
    /// The name of a case.
    struct Segment {
        /// The bytes of the name, in `text`.
        fileprivate var start: Int
        fileprivate var count: Int
        /// Where the path goes on: the group that the case carries; −1 for none.
        fileprivate(set) var inner: Int
        /// Its place among the cases of its group.
        fileprivate(set) var index: Int
        /// The case carries what only the server says.
        fileprivate(set) var isFact: Bool

        /// The path may go on behind it.
        var isInside: Bool { inner >= 0 }
    }

    private var text: [UInt8] = []
    private var names: [String] = []
    private var segments: [Segment] = []
    /// The segments of each group.
    private var groups: [Range<Int>] = []

    /// The segments of the cases of all groups; paths begin in the first group.
    init(_ groups: [ActionTree.Group]) {
        for group in groups {
            let first = segments.count
            for found in group.cases {
                segments.append(
                    Segment(
                        start: text.count, count: found.name.utf8.count, inner: found.group ?? -1,
                        index: segments.count - first, isFact: found.isFact))
                text.append(copying: found.name)
                names.append(found.name)
            }
            self.groups.append(first..<segments.count)
        }
    }

    /// Walks along a path until `visit` answers false, or no case has the next segment.
    ///
    /// - Parameter visit: is shown a segment, its place in the table, and the offset behind its
    ///   slash.
    @inline(__always)
    func walk(_ path: Span<UInt8>, _ visit: (Segment, _ place: Int, _ next: Int) -> Bool) {
        var group = 0
        var start = 0
        while group >= 0, let place = find(path, from: start, in: group) {
            start += segments[place].count + 1
            guard visit(segments[place], place, start) else { return }
            group = segments[place].inner
        }
    }

    /// The segment of this name in a group.
    func find(_ name: String, in group: Int) -> Segment? {
        precondition(groups.indices.contains(group), "A group is one of the tree's.")
        return groups[group].first { names[$0] == name }.map { segments[$0] }
    }

    /// The name of the segment at a place.
    func name(at place: Int) -> String { names[place] }

    /// The segment that stands at an offset: a name has no slash, and one stands behind it, or
    /// nothing.
    @inline(__always)
    private func find(_ path: Span<UInt8>, from start: Int, in group: Int) -> Int? {
        for place in groups[group] {
            let segment = segments[place]
            let end = start + segment.count
            guard end == path.count || end < path.count && path[end] == UInt8(ascii: "/") else {
                continue
            }
            var index = 0
            while index < segment.count, text[segment.start + index] == path[start + index] {
                index += 1
            }
            if index == segment.count { return place }
        }
        return nil
    }
}
