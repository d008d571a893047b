import HTTPServer
import Sockets

extension Session {
    /// The projection that a query asks for; the whole state where it asks for none.
    func projection(_ kind: Projection.Kind) -> Projection {
        let name: String
        switch kind {
        case .whole: return whole
        case .part(let pointer): name = "select:\(pointer)"
        case .view(let view, let arguments):
            let sorted = arguments.sorted { $0.key < $1.key }
            name = "view:\(view)?" + sorted.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        }
        if let known = projections[name] { return known }
        let bytes = Array(name.utf8)
        let suffix = ".\(String(StableHash.of(bytes.span), radix: 36))"
        let made = Projection(kind: kind, name: name, suffix: suffix)
        made.lastChange = store.lastChange
        return made
    }

    /// Whether one more may be kept, or this one is.
    func hasRoom(for projection: Projection, _ limits: SessionLimits) -> Bool {
        projection.isWhole || projections[projection.name] != nil
            || projections.count < limits.projectionCount
    }

    /// Keeps a projection that somebody watches.
    func keep(_ projection: Projection) {
        if !projection.isWhole { projections[projection.name] = projection }
    }

    /// Forgets a projection that nobody watches.
    func forgetIfUnused(_ projection: Projection) {
        guard projection.isUnused else { return }
        if projection.isWhole {
            projection.frames = .init()
        } else {
            projections[projection.name] = nil
        }
    }

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
            if let all = whole.json, all.count > context.limits.stateByteCount {
                freeze("The state is larger than allowed.", context, on: loop)
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
            guard let all = try json(of: whole) else { return nil }
            let bytes = all.bytes
            guard let range = pointer.range(in: bytes.span) else { return nil }
            return SharedBytes(Array(bytes[range]))
        case .view(let name, let arguments):
            let isInScope = try store.encodeView(name, arguments, into: &output)
            return isInScope ? SharedBytes(output) : nil
        }
    }

    /// The ETag of a projection: the token, and what tells the selection apart.
    func etag(_ projection: Projection) -> [UInt8] {
        var etag: [UInt8] = []
        Token.append(epoch, store.version, to: &etag)
        etag.append(contentsOf: projection.suffix.utf8)
        return etag
    }
}
