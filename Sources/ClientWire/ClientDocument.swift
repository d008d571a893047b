package import StateCoding

/// What a stream shows of a session's state: a document that its events replace or patch.
///
///     while let event = try events.next() {
///         let change = try document.apply(event.name, event.data, id: event.id)
///         if change == .changed { show(document.json) }
///     }
package struct ClientDocument: Sendable {
    /// What an event has meant.
    package enum Change: Sendable, Hashable {
        /// There is another state, or part of it.
        case changed
        /// The part has left the state.
        case outOfScope
        /// Nothing is shown that was not.
        case none
    }

    /// The reason why a document does not go on: the stream is begun anew, without a last id.
    package enum Failure: Error, Sendable, Hashable {
        /// The data of the event are not what the event says.
        case malformed(String)
        /// The patch does not lead on from what the document shows.
        case doesNotFollow(String)
    }

    private var document: PatchedDocument?
    /// The token of what is shown, `k3f9-42`: an id of the stream, and the state's entity tag.
    package private(set) var token: String?

    /// What the last snapshot has said that the client sees, `state` or `view`, and of which schema.
    package private(set) var sees: String?
    package private(set) var schema: Int?

    package init() {}

    /// The state that is shown; nil before the first, and where the part is out of scope.
    package var json: [UInt8]? { document?.bytes() }

    /// Takes an event over.
    ///
    /// - Parameter id: the last one of the stream, with the event or before it.
    package mutating func apply(
        _ name: String, _ data: String, id: String?
    ) throws(Failure) -> Change {
        switch name {
        case "message": document = PatchedDocument(Array(data.utf8))
        case "snapshot":
            let members = try Self.members(of: data)
            guard let state = members["state"]?.json else {
                throw .malformed("A snapshot holds a state.")
            }
            document = PatchedDocument(state)
            sees = members["sees"]?.string
            schema = members["schema"]?.integer
        case "patch": try patch(by: data)
        case "out-of-scope": document = nil
        default: return .none
        }
        token = id
        return document == nil ? .outOfScope : .changed
    }

    /// What is shown is as it was up to a later id, which has come alone: the next patch may begin there.
    package mutating func move(to id: String?) {
        if document != nil { token = id }
    }

    private mutating func patch(by data: String) throws(Failure) {
        let members = try Self.members(of: data)
        guard let operations = members["ops"]?.json,
            let from = members["from"]?.integer.flatMap({ UInt64(exactly: $0) })
        else {
            throw .malformed("A patch names its beginning and its operations.")
        }
        guard document != nil, let shown = token.flatMap({ Token($0) }), from <= shown.version
        else {
            throw .doesNotFollow(
                "The patch leads on from \(from), and \(token ?? "none") is shown.")
        }
        do throws(PatchFailure) {
            try document?.apply(operations.span)
        } catch {
            document = nil
            throw .doesNotFollow("\(error)")
        }
    }

    private static func members(of data: String) throws(Failure) -> JSONValue {
        let bytes = Array(data.utf8)
        do throws(DecodingFailure) {
            return try JSONValue(written: bytes.span)
        } catch {
            throw .malformed(error.detail)
        }
    }
}

extension Token {
    /// What is shown at this token has everything in it that was kept at another one; of another epoch
    /// nothing is known, and nothing is to be waited for.
    package func includes(_ other: Token) -> Bool {
        epoch != other.epoch || version >= other.version
    }
}
