extension KeyedWriter {
    /// A container that writes to a frame of a document.
    static func container(
        writingTo frame: FrameID, of document: DocumentEncoder
    ) -> KeyedEncodingContainer<Key> {
        if let writers = document.writers {
            if let number = writers.move(Key.self, to: frame) {
                return writers.container(number, keyedBy: Key.self)
            }
            if writers.keepsNext() { return makeKept(frame, document, writers) }
        }
        return KeyedEncodingContainer(KeyedWriter(document: document, frame: frame))
    }

    /// By itself, as a variable of the container's type has that looked up even where it is not used.
    @inline(never)
    private static func makeKept(
        _ frame: FrameID, _ document: DocumentEncoder, _ writers: WriterPool
    ) -> KeyedEncodingContainer<Key> {
        let target = WriterPool.Target(frame)
        let container = KeyedEncodingContainer(KeyedWriter(document: document, target: target))
        writers.keep(container, target)
        return container
    }
}
