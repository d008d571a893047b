internal import Gzip
package import HTTPMessages
internal import HTTPTypes
package import Sockets

/// A directory that files are served from, and the rights of pages from there.
package struct StaticFilesConfiguration: Sendable, Hashable {
    /// The root. Nothing outside is served, also not by way of a symbolic link.
    package var directory: String
    /// Further places that pages may load pictures from, as sources of a content security
    /// policy: `https://images.example`.
    package var imageSources: [String]

    /// Files of a directory.
    package init(directory: String, imageSources: [String] = []) {
        self.directory = directory
        self.imageSources = imageSources
    }

    /// The content security policy: all from our own origin, nothing inline, no frames.
    var contentSecurityPolicy: String {
        let images = (["'self'", "data:"] + imageSources.filter(Self.isPlain))
            .joined(separator: " ")
        return "default-src 'self'; img-src \(images); connect-src 'self'; "
            + "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
    }

    /// Answers true where a source can stand in the policy without changing its other parts.
    private static func isPlain(_ source: String) -> Bool {
        source.utf8.allSatisfy { (0x21..<0x7F).contains($0) && $0 != 0x3B && $0 != 0x2C }
    }
}

/// Serves the files of a directory to GET and HEAD, on one loop.
///
/// Every request opens its file anew, beneath the root and nowhere else, so that a changed file
/// is seen at once; the content of small ones is kept, large ones go from the disk's cache into
/// the socket. Conditions (RFC 9110 §13), one range (§14), gzip made on the fly or found beside
/// the file as `name.gz`.
package final class StaticFiles {
    private let directory: StaticDirectory
    private let limits: HTTPLimits
    private let securityLines: [UInt8]
    private var cache: FileCache

    /// Serves the files of this directory.
    package init(_ directory: StaticDirectory, limits: HTTPLimits = HTTPLimits()) {
        self.directory = directory
        self.limits = limits
        cache = FileCache(limit: limits.fileCacheByteCount)
        securityLines = [UInt8](
            """
            Referrer-Policy: same-origin\r
            Content-Security-Policy: \(directory.configuration.contentSecurityPolicy)\r\n
            """.utf8)
    }

    /// Answers a request with a file, or with the problem that there is none.
    package func respond(
        to head: RequestHead, in bytes: Span<UInt8>, exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        switch head.method {
        case .get, .head: break
        case .options: return exchange.respondOptions(allow: Self.methods, on: loop)
        case .other: return exchange.respond(.methodNotImplemented, on: loop)
        default: return exchange.refuseMethod(allow: Self.methods, on: loop)
        }
        guard let path = StaticPath(head.path, in: bytes) else {
            return exchange.respond(.notFound, on: loop)
        }
        do throws(SystemError) {
            guard let file = try open(path, loop.system) else {
                return redirect(head, in: bytes, exchange: exchange, on: loop)
            }
            let location = file.name == path.name ? path.relative : path.relative + "/index.html"
            answer(file, at: location, to: head, in: bytes, exchange: exchange, on: loop)
        } catch {
            exchange.respond(Self.problem(for: error), on: loop)
        }
    }

    /// Lets go of the files that are kept in memory.
    package func dropCache() {
        cache.removeAll()
    }

    private static let methods = "GET, HEAD, OPTIONS"

    /// Above all a file that is missing; a lack of descriptors is not the client's fault.
    private static func problem(for error: SystemError) -> ProblemDetails {
        let isOurs: Set<Errno> = [
            .tooManyFiles, .tooManyFilesInSystem, .outOfMemory, .inputOutput,
        ]
        guard isOurs.contains(error.code) else { return .notFound }
        return ProblemDetails(
            .serviceUnavailable, code: "file-unavailable",
            detail: "The file cannot be read at the moment.")
    }

    /// The file of a path; nil for a directory that is named without its slash, and has an index.
    private func open(
        _ path: StaticPath, _ system: SystemCalls
    ) throws(SystemError) -> StaticFile? {
        let descriptor = try system.files.open(
            path.relative.isEmpty ? "." : path.relative, beneath: directory.root)
        let status = try system.files.status(of: descriptor)
        switch status.kind {
        case .regular where !path.isDirectory:
            return StaticFile(descriptor: descriptor, status: status, name: path.name)
        case .directory:
            let index = try openIndex(of: path, system)
            guard path.isDirectory else { return nil }
            return index
        case .regular, .other: throw SystemError(.open, .noSuchFile, subject: path.relative)
        }
    }

    private func openIndex(
        of path: StaticPath, _ system: SystemCalls
    ) throws(SystemError) -> StaticFile {
        let descriptor = try system.files.open(
            path.relative.isEmpty ? Self.index : "\(path.relative)/\(Self.index)",
            beneath: directory.root)
        let status = try system.files.status(of: descriptor)
        guard status.kind == .regular else {
            throw SystemError(.open, .noSuchFile, subject: path.relative)
        }
        return StaticFile(descriptor: descriptor, status: status, name: Self.index)
    }

    private static let index = "index.html"

    private func redirect(
        _ head: RequestHead, in bytes: Span<UInt8>, exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        let query = head.query.isEmpty ? "" : "?\(head.query.string(in: bytes))"
        let location = "\(head.path.string(in: bytes))/\(query)"
        exchange.respond(.movedPermanently, on: loop) { $0.field("Location", location) }
    }

    // MARK: The answer

    private func answer(
        _ file: consuming StaticFile, at path: String, to head: RequestHead,
        in bytes: Span<UInt8>, exchange: Exchange, on loop: isolated EventLoop
    ) {
        if file.failsPrecondition(of: head, in: bytes) {
            return exchange.respond(.otherFile, on: loop)
        }
        let fields = FileFields(file, securityLines)
        if file.isUnchanged(for: head, in: bytes) {
            return exchange.respond(.notModified, on: loop) { fields.writeValidators(&$0) }
        }
        switch file.range(for: head, in: bytes) {
        case .unsatisfiable:
            exchange.respond(.rangeNotSatisfiable, on: loop) {
                $0.field("Content-Range", "bytes */\(fields.size)")
            }
        case .part(let range):
            let (first, size) = (Int64(range.lowerBound), fields.size)
            exchange.respond(
                .partialContent, file: file.takeDescriptor(),
                range: first..<Int64(range.upperBound), on: loop
            ) {
                fields.write(&$0)
                $0.field("Content-Range", "bytes \(first)-\(range.upperBound - 1)/\(size)")
            }
        case .whole:
            if fields.isCompressible, AcceptField.prefers(coding: "gzip", head, in: bytes),
                let content = compressed(file, at: path, loop.system)
            {
                exchange.respond(body: content, on: loop) {
                    fields.write(&$0, coding: "gzip")
                }
            } else {
                answerPlain(file, at: path, fields, exchange: exchange, on: loop)
            }
        }
    }

    private func answerPlain(
        _ file: consuming StaticFile, at path: String, _ fields: FileFields, exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        if let content = plain(file, at: path, loop.system) {
            exchange.respond(body: content, on: loop) { fields.write(&$0) }
        } else {
            let size = fields.size
            exchange.respond(.ok, file: file.takeDescriptor(), range: 0..<size, on: loop) {
                fields.write(&$0)
            }
        }
    }

    /// The content of a small file; nil for a large one, or when it cannot be read whole.
    private func plain(
        _ file: borrowing StaticFile, at path: String, _ system: SystemCalls
    ) -> SharedBytes? {
        guard file.status.size <= limits.cachedFileByteCount else { return nil }
        let tag = file.tag
        if let content = cache.content(of: path, tag: tag, .plain) { return content }
        do throws(SystemError) {
            let count = Int(file.status.size)
            let content = try system.files.read(file.descriptor, offset: 0, count: count)
            guard content.count == count else { return nil }
            let shared = SharedBytes(content)
            cache.keep(shared, of: path, tag: tag, .plain)
            return shared
        } catch {
            return nil
        }
    }

    /// The content of a file in gzip: from beside it, or made here; nil where it does not pay.
    private func compressed(
        _ file: borrowing StaticFile, at path: String, _ system: SystemCalls
    ) -> SharedBytes? {
        let tag = file.tag
        if let content = cache.content(of: path, tag: tag, .compressed) { return content }
        guard file.status.size >= limits.compressionThresholdByteCount else { return nil }
        let content =
            precompressed(file, at: path, system) ?? compressedHere(file, at: path, system)
        guard let content else { return nil }
        let shared = SharedBytes(content)
        cache.keep(shared, of: path, tag: tag, .compressed)
        return shared
    }

    private func compressedHere(
        _ file: borrowing StaticFile, at path: String, _ system: SystemCalls
    ) -> [UInt8]? {
        guard let content = plain(file, at: path, system)?.bytes else { return nil }
        return gzip(content.span, level: 6)
    }

    /// The file `name.gz` beside a file, if it is not older.
    private func precompressed(
        _ file: borrowing StaticFile, at path: String, _ system: SystemCalls
    ) -> [UInt8]? {
        do throws(SystemError) {
            let sibling = try system.files.open(path + ".gz", beneath: directory.root)
            let status = try system.files.status(of: sibling)
            guard status.kind == .regular, status.size <= limits.cachedFileByteCount,
                status.modifiedSeconds >= file.status.modifiedSeconds
            else { return nil }
            let content = try system.files.read(sibling, offset: 0, count: Int(status.size))
            return content.count == Int(status.size) ? content : nil
        } catch {
            return nil
        }
    }
}

extension ProblemDetails {
    /// If-Match or If-Unmodified-Since does not hold.
    fileprivate static let otherFile = failedPrecondition(
        "The file is not the one that the request names.")
}
