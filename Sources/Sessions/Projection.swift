package import Bytes
package import StateCoding

/// One part of a session that is watched: the whole state, a part of it, or a view; with its bytes
/// as they were last made, shared by all clients that watch it.
package final class Projection {
    /// The kinds of projections.
    package enum Kind {
        case whole
        case part(JSONPointer)
        case view(name: String, arguments: [String: String])

        /// The identity of a projection of this kind; a part without tokens is the whole state.
        package var key: ProjectionKey {
            switch self {
            case .whole: .whole
            case .part(let pointer): pointer.tokens.isEmpty ? .whole : .part(pointer)
            case .view(let name, let arguments): .view(name, arguments)
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
    /// The version that `json` was made of.
    private(set) var encodedAt: UInt64?
    /// A version since which it has not changed, as far as is known.
    package var lastChange: UInt64 { changedAt }
    // Stored for this module alone, so that the compiler need not check each access at run time.
    private var content: SharedBytes?
    private var changedAt: UInt64 = 0
    private(set) var watcherCount = 0
    private(set) var waiterCount = 0

    package init(kind: Kind, key: ProjectionKey) {
        self.kind = kind
        self.key = key
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
        encodedAt = nil
    }

    /// Begins anew, with a state of which nothing is known yet.
    func begin(at version: UInt64) {
        dropContent()
        changedAt = version
    }

    /// No client watches the projection or waits for it.
    var isUnused: Bool { watcherCount == 0 && waiterCount == 0 }

    /// A part of the state, found in its JSON.
    var isPart: Bool {
        if case .part = kind { true } else { false }
    }

    /// A view, which the application computes.
    var isView: Bool {
        if case .view = kind { true } else { false }
    }
}
