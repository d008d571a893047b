import Reflection

/// The keyed containers of one document, each used for one object after the other.
final class WriterPool {
    /// Where a container writes at present.
    final class Target {
        fileprivate(set) var frame: FrameID

        init(_ frame: FrameID) { self.frame = frame }
    }

    private let containers = ContainerPool()
    /// The targets of the containers, by their numbers.
    private var targets: [Target] = []

    /// A pool without containers.
    init() {}

    /// The number of a container by such keys that nobody holds, which writes to `frame` from now
    /// on; nil where there is none.
    func find<Key>(_ keys: Key.Type, movingTo frame: FrameID) -> Int? {
        guard let number = containers.find(ObjectIdentifier(keys)) else { return nil }
        targets[number].frame = frame
        return number
    }

    /// The container that has been found.
    func container<Key>(_ number: Int, keyedBy keys: Key.Type) -> KeyedEncodingContainer<Key> {
        containers.encodingContainer(number, keyedBy: keys)
    }

    /// Keeps a container, which writes to a target, as long as there is room.
    func keep<Key>(_ container: KeyedEncodingContainer<Key>, _ target: Target) {
        guard let number = containers.keep(container) else { return }
        precondition(number == targets.count, "Numbers are given in their order.")
        // Taken out while it changes, which spares the run time its check that no second access
        // overlaps.
        var targets: [Target] = []
        swap(&targets, &self.targets)
        targets.append(target)
        swap(&targets, &self.targets)
    }
}
