import HTTPServer
import Sockets

extension Session {
    /// The projection's JSON as of the committed state; nil where it is out of scope.
    func json(of projection: Projection) throws(EncodingFailure) -> SharedBytes? {
        if let at = projection.encodedAt, at >= store.lastChange { return projection.json }
        let json = try encode(projection)
        projection.encodedAt = store.version
        projection.json = json
        return json
    }

    /// The projection's JSON for an answer; a state that cannot be written, or is larger than
    /// allowed, freezes the session.
    func content(
        of projection: Projection, _ context: SessionContext, on loop: isolated EventLoop
    ) throws(ProblemDetails) -> SharedBytes? {
        do throws(EncodingFailure) {
            let json = try json(of: projection)
            if projection === projections.whole, let json, json.count != meter.byteCount {
                meter.measured(json.count)
                // What is taken in is measured as it comes; a state that has grown far beyond its
                // limit all the same has an application that does not bound it.
                let limit = context.limits.stateByteCount
                if json.count > limit + limit / 8 {
                    freeze("The state is larger than allowed.", context, on: loop)
                }
            }
            return json
        } catch {
            freeze("The state cannot be written as JSON: \(error.detail)", context, on: loop)
            throw .frozen("The state cannot be written as JSON.")
        }
    }

    private func encode(_ projection: Projection) throws(EncodingFailure) -> SharedBytes? {
        var output: [UInt8] = []
        switch projection.kind {
        case .whole:
            output.reserveCapacity((projection.json?.count ?? 512) + 64)
            if watcherCount > 0, encodingMemory == nil { encodingMemory = EncodingMemory() }
            try store.encodeState(into: &output, reusing: encodingMemory)
            return SharedBytes(output)
        case .part(let pointer):
            guard let all = try json(of: projections.whole) else { return nil }
            let bytes = all.bytes
            guard let range = pointer.range(in: bytes.span) else { return nil }
            return SharedBytes(Array(bytes[range]))
        case .view(let name, let arguments):
            let isInScope = try store.encodeView(name, arguments, into: &output)
            return isInScope ? SharedBytes(output) : nil
        }
    }

    /// The id and ETag of a projection: the token, and the suffix that tells the projection from
    /// others.
    func tag(_ projection: Projection) -> [UInt8] {
        var tag: [UInt8] = []
        tag.reserveCapacity(epoch.utf8.count + 35)
        Token.append(epoch, store.version, to: &tag)
        tag.append(contentsOf: projection.suffix.utf8)
        return tag
    }

    /// A client that has this tag has what the projection shows now: the tag is of this
    /// projection, and nothing has changed in it since.
    func isPresent(_ tag: ProjectionTag, in projection: Projection) -> Bool {
        tag.token.epoch == epoch && tag.suffix == projection.suffix
            && tag.token.version <= store.version && tag.token.version >= lastChange(of: projection)
    }

    /// The last version in which a projection changed, or may have.
    private func lastChange(of projection: Projection) -> UInt64 {
        projection === projections.whole ? store.lastChange : projection.lastChange
    }
}
