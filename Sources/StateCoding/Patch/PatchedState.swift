/// A state as JSON at a version, led on by the patches of the entries behind it.
package struct PatchedState: Sendable {
    package private(set) var version: UInt64
    /// The last version that changed the state.
    package private(set) var lastChange: UInt64
    private var document: PatchedDocument

    /// - Parameter lastChange: nil: it is the version itself.
    package init(_ json: [UInt8], at version: UInt64, lastChange: UInt64? = nil) {
        self.version = version
        self.lastChange = lastChange ?? version
        document = PatchedDocument(json)
    }

    /// The entry of the next version leads on.
    ///
    /// - Parameter patch: nil where it has changed nothing.
    /// - Throws: where the patch does not fit: the state is as it was.
    package mutating func apply(_ patch: [UInt8]?) throws(PatchFailure) {
        if let patch {
            try document.apply(patch.span)
            lastChange = version + 1
        }
        version += 1
    }

    /// The state as JSON.
    package func bytes() -> [UInt8] { document.bytes() }

    /// The memory that it takes, about.
    package var heldByteCount: Int { document.heldByteCount }
}
