import Reflection

/// The keyed containers of one document, each used for one object after the other.
final class WriterPool {
    /// Where a container writes at present.
    final class Target {
        fileprivate(set) var frame: FrameID

        init(_ frame: FrameID) { self.frame = frame }
    }

    private var containers: ContainerPool?
    /// The targets of the containers, by their numbers.
    private var targets: [Target] = []
    /// The number of containers that were made.
    private var madeCount = 0

    /// A document begins.
    func open() { madeCount = 0 }

    /// The document has ended: containers are let go, and those that are made for it nevertheless are
    /// not kept.
    func close() {
        madeCount = .min
        containers = nil
        targets = []
    }

    /// The number of a container by such keys that nobody holds, which writes to `frame` from now
    /// on; nil where there is none.
    func move<Key>(_ keys: Key.Type, to frame: FrameID) -> Int? {
        guard let number = containers?.find(ObjectIdentifier(keys)) else { return nil }
        targets[number].frame = frame
        return number
    }

    /// The container that was found.
    func container<Key>(_ number: Int, keyedBy keys: Key.Type) -> KeyedEncodingContainer<Key> {
        guard let containers else { preconditionFailure("A container was found in a pool.") }
        return containers.encodingContainer(number, keyedBy: keys)
    }

    /// One more container is made; it is worth being kept.
    func keepsNext() -> Bool {
        madeCount += 1
        return madeCount > ContainerPool.worthwhileCount
    }

    /// Keeps a container, which writes to a target, where there is room.
    func keep<Key>(_ container: KeyedEncodingContainer<Key>, _ target: Target) {
        let containers = containers ?? ContainerPool()
        self.containers = containers
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
