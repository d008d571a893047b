package import Bytes
package import Redux
package import StateCoding

/// The state of a session at a version of before.
package enum PastState {
    /// The JSON as it was.
    ///
    /// - version: the one that was asked for, or inside of a batch the one before the batch.
    case known(version: UInt64, json: SharedBytes)
    /// It is not kept any more; from this version on states are.
    case gone(oldest: UInt64)
    /// The session has not got that far.
    case future

    /// The projection of a state of before that a viewer is shown.
    ///
    /// - Parameters:
    ///   - view: the name; nil for what stands for the state.
    ///   - pointer: the part of that; nil for all of it.
    /// - Throws: where this build of the application cannot read the state, or write the view of it.
    package static func projection(
        of json: SharedBytes, at version: UInt64, view: String?, _ pointer: JSONPointer?,
        for viewer: Viewer, in store: any SessionStore
    ) throws(EncodingFailure) -> Projection {
        var base = Projection(.whole)
        if view == nil, store.showsState {
            base.show(json, at: version)
        } else {
            let seen = try store.encodePast(json.bytes, view: view, for: viewer)
            base = Projection(.view(ShownView(name: view, viewerClass: seen.viewerClass)))
            base.show(seen.json.map { SharedBytes($0) }, at: version)
        }
        guard let pointer, !pointer.tokens.isEmpty else { return base }
        let part = Projection(.part(pointer, of: base))
        part.show(base.json(at: pointer), at: version)
        return part
    }
}

/// A view of a state of before.
package struct PastView {
    /// Nil where the viewer is shown nothing of that state.
    package let json: [UInt8]?
    /// The class of the viewer by that state; nil where the view is one for everybody.
    package let viewerClass: ViewerClass?

    package init(json: [UInt8]?, viewerClass: ViewerClass?) {
        self.json = json
        self.viewerClass = viewerClass
    }
}
