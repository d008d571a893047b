package import Bytes
package import StateCoding

/// One part of a session that is watched: the whole state, a view for a class of viewers, or a part
/// of what stands for the state; with its bytes as they were last made, shared by all clients that
/// watch it.
package final class Projection {
    /// The kinds of projections.
    package enum Kind {
        /// The state as it is.
        case whole
        case view(ShownView)
        /// A part of the whole state, or of the view that stands for it.
        case part(JSONPointer, of: Projection)

        /// The identity of a projection of this kind.
        package var key: ProjectionKey {
            switch self {
            case .whole: .whole
            case .view(let view): .view(view)
            case .part(let pointer, let base): .part(pointer, of: base.key)
            }
        }
    }

    let kind: Kind
    /// The identity among the session's projections.
    package let key: ProjectionKey
    /// The part of ids and ETags behind the token; empty for the whole state.
    package let suffix: String
    /// The JSON at `encodedAt`; nil where that is out of scope.
    package var json: SharedBytes? { content }
    /// A slot for the forms of `json` that clients ask for; emptied when the JSON changes.
    package var body: AnyObject?
    /// A slot for the clients of the projection, and for what they all are sent.
    package var audience: AnyObject?
    /// The input that a view's `json` was computed of, where the view compares that.
    var input: AnyObject?
    /// The parts of it that have clients.
    var parts = PartList()
    /// The version that `json` was made of.
    private(set) var encodedAt: UInt64?
    /// A version since which it has not changed, as far as is known.
    package var lastChange: UInt64 { changedAt }
    // Stored for this module alone, so that the compiler need not check each access at run time.
    private var content: SharedBytes?
    private var changedAt: UInt64 = 0
    private(set) var watcherCount = 0
    private(set) var waiterCount = 0

    package init(kind: Kind) {
        self.kind = kind
        key = kind.key
        suffix = key.suffix
    }

    /// The id and ETag at a version: the token, and the suffix that tells the projection from others.
    func tag(_ epoch: String, _ version: UInt64) -> [UInt8] {
        var tag: [UInt8] = []
        tag.reserveCapacity(epoch.utf8.count + 35)
        Token.append(epoch, version, to: &tag)
        tag.append(contentsOf: suffix.utf8)
        return tag
    }

    /// The projection has this JSON as of a version; nil where it is out of scope.
    func encoded(_ json: SharedBytes?, at version: UInt64) {
        content = json
        body = nil
        encodedAt = version
    }

    /// The JSON is the same as of a later version.
    func stayed(at version: UInt64) { encodedAt = version }

    /// The projection has changed with this version, as far as is known.
    func changed(at version: UInt64) { changedAt = version }

    /// Some watchers more, or less.
    func addWatchers(_ count: Int) { watcherCount += count }

    /// Some more that wait for a change, or less.
    func addWaiters(_ count: Int) { waiterCount += count }

    /// Lets go of the JSON, which is made again for the next client that needs it.
    func dropContent() {
        content = nil
        body = nil
        input = nil
        encodedAt = nil
    }

    /// Begins anew, with a state of which nothing is known yet.
    func begin(at version: UInt64) {
        dropContent()
        changedAt = version
    }

    /// Clients watch the projection or wait for it.
    var hasClients: Bool { watcherCount > 0 || waiterCount > 0 }

    /// No client needs the projection, for itself or for a part of it.
    var isUnused: Bool { !hasClients && parts.isEmpty }

    /// It is shown to a class of viewers, which the state may change.
    package var isClassed: Bool { view?.viewerClass != nil }

    /// The view that it is, or is a part of; nil for the state.
    package var view: ShownView? {
        switch kind {
        case .whole: nil
        case .view(let view): view
        case .part(_, let base): base.view
        }
    }
}
