internal import Gzip
package import HTTPMessages
internal import HTTPTypes
package import Sockets

/// Serves the files of a directory to GET and HEAD, on one loop; and where it has none of a path, or
/// where there is no directory, those of the program.
///
/// Every request opens its file anew, beneath the root and nowhere else, so that a changed file
/// is seen at once; the content of small ones is kept, large ones go from the disk's cache into
/// the socket. Conditions (RFC 9110 §13), one range (§14), gzip made on the fly or found beside
/// the file as `name.gz`.
package final class StaticFiles {
    private let directory: StaticDirectory?
    private let compiled: CompiledFiles
    /// Those that were asked for, by their numbers.
    private var loaded: [Int: CompiledFile] = [:]
    private let limits: HTTPLimits
    private let securityLines: [UInt8]
    private let compiledSecurityLines: [UInt8]
    private var cache: FileCache

    /// Serves the files of this directory, and the program's.
    package init(
        _ directory: StaticDirectory?, compiled: CompiledFiles = CompiledFiles { _ in [] },
        limits: HTTPLimits = HTTPLimits()
    ) {
        self.directory = directory
        self.compiled = compiled
        self.limits = limits
        cache = FileCache(limit: limits.fileCacheByteCount)
        func lines(_ policy: String) -> [UInt8] {
            Array(
                "Referrer-Policy: same-origin\r\nContent-Security-Policy: \(policy)\r\n".utf8)
        }
        compiledSecurityLines = lines(StaticDirectory.strictPolicy)
        securityLines = lines(directory?.policy ?? "")
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
        default: return exchange.respond(.methodNotAllowed(allow: Self.methods), on: loop)
        }
        guard let path = StaticPath(head.path, in: bytes) else {
            return exchange.respond(.notFound, on: loop)
        }
        guard let directory else {
            return respondCompiled(to: head, path, in: bytes, exchange: exchange, on: loop)
        }
        do throws(SystemError) {
            var location = path.relative
            var file = try loop.system.files.open(
                location.isEmpty ? "." : location, beneath: directory.root)
            var status = try loop.system.files.status(of: file)
            let isDirectory = status.isDirectory
            if isDirectory {
                location += location.isEmpty ? Self.index : "/" + Self.index
                file = try loop.system.files.open(location, beneath: directory.root)
                status = try loop.system.files.status(of: file)
            }
            guard status.isRegular, isDirectory || !path.isDirectory else {
                return respondCompiled(to: head, path, in: bytes, exchange: exchange, on: loop)
            }
            guard isDirectory == path.isDirectory else {
                return redirect(head, in: bytes, exchange: exchange, on: loop)
            }
            let facts = StaticFile(at: location, status, securityLines)
            answer(file, facts, to: head, in: bytes, exchange: exchange, on: loop)
        } catch {
            guard let problem = Self.problem(for: error) else {
                return respondCompiled(to: head, path, in: bytes, exchange: exchange, on: loop)
            }
            exchange.respond(problem, on: loop)
        }
    }

    /// Answers with a file of the program, or with the problem that there is none.
    private func respondCompiled(
        to head: RequestHead, _ path: StaticPath, in bytes: Span<UInt8>, exchange: Exchange,
        on loop: isolated EventLoop
    ) {
        let index = path.relative.isEmpty ? Self.index : "\(path.relative)/\(Self.index)"
        if !path.isDirectory, compiled.numbers[index] != nil {
            return redirect(head, in: bytes, exchange: exchange, on: loop)
        }
        let location = path.isDirectory ? index : path.relative
        guard let number = compiled.numbers[location] else {
            return exchange.respond(.notFound, on: loop)
        }
        let file = loaded[number] ?? CompiledFile(compiled.read(number))
        loaded[number] = file
        let facts = StaticFile(at: location, file, compiledSecurityLines)
        if respondsByCondition(facts, to: head, in: bytes, exchange: exchange, on: loop) { return }
        let isCoded = AcceptField.prefers(coding: "gzip", head, in: bytes)
        exchange.respond(body: isCoded ? file.coded : file.content, on: loop) {
            facts.write(&$0, coding: isCoded ? "gzip" : nil)
        }
    }

    /// Lets go of the files that are kept in memory.
    package func dropCache() {
        cache = FileCache(limit: limits.fileCacheByteCount)
    }

    private static let methods = "GET, HEAD, OPTIONS"

    /// Nil for a file that is missing; a lack of descriptors is not the client's fault.
    private static func problem(for error: SystemError) -> ProblemDetails? {
        let isOurs: Set<Errno> = [
            .tooManyFiles, .tooManyFilesInSystem, .outOfMemory, .inputOutput,
        ]
        guard isOurs.contains(error.code) else { return nil }
        return ProblemDetails(
            .serviceUnavailable, code: "file-unavailable",
            detail: "The file cannot be read at the moment.")
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

    /// Answers 412 or 304 where a condition of the request says so.
    private func respondsByCondition(
        _ file: StaticFile, to head: RequestHead, in bytes: Span<UInt8>, exchange: Exchange,
        on loop: isolated EventLoop
    ) -> Bool {
        if file.failsPrecondition(of: head, in: bytes) {
            exchange.respond(.otherFile, on: loop)
        } else if file.isUnchanged(for: head, in: bytes) {
            exchange.respond(.notModified, on: loop) { file.writeValidators(&$0) }
        } else {
            return false
        }
        return true
    }

    private func answer(
        _ descriptor: consuming Descriptor, _ file: StaticFile, to head: RequestHead,
        in bytes: Span<UInt8>, exchange: Exchange, on loop: isolated EventLoop
    ) {
        if respondsByCondition(file, to: head, in: bytes, exchange: exchange, on: loop) { return }
        let size = file.size
        switch file.range(for: head, in: bytes) {
        case .unsatisfiable:
            exchange.respond(.rangeNotSatisfiable, on: loop) {
                $0.field("Content-Range", "bytes */\(size)")
            }
        case .part(let range):
            let (first, end) = (Int64(range.lowerBound), Int64(range.upperBound))
            exchange.respond(.partialContent, file: descriptor, range: first..<end, on: loop) {
                file.write(&$0)
                $0.field("Content-Range", "bytes \(first)-\(end - 1)/\(size)")
            }
        case .whole:
            let takesGzip =
                file.isCompressible && AcceptField.prefers(coding: "gzip", head, in: bytes)
            if takesGzip, let content = compressed(descriptor, file, loop.system) {
                exchange.respond(body: content, on: loop) { file.write(&$0, coding: "gzip") }
            } else if let content = plain(descriptor, file, loop.system) {
                exchange.respond(body: content, on: loop) { file.write(&$0) }
            } else {
                exchange.respond(.ok, file: descriptor, range: 0..<size, on: loop) {
                    file.write(&$0)
                }
            }
        }
    }

    /// The content of a small file; nil for a large one, or when it cannot be read whole.
    private func plain(
        _ descriptor: borrowing Descriptor, _ file: StaticFile, _ system: SystemCalls
    ) -> SharedBytes? {
        guard file.size <= limits.cachedFileByteCount else { return nil }
        if let content = cache.content(of: file.path, tag: file.tag) { return content }
        guard let content = read(descriptor, file.size, system) else { return nil }
        let shared = SharedBytes(content)
        cache.keep(shared, of: file.path, tag: file.tag)
        return shared
    }

    /// The content of a file in gzip: from beside it, or made here; nil where it does not pay.
    private func compressed(
        _ descriptor: borrowing Descriptor, _ file: StaticFile, _ system: SystemCalls
    ) -> SharedBytes? {
        // No path holds this byte.
        let name = file.path + "\0gzip"
        if let kept = cache.content(of: name, tag: file.tag) { return kept }
        guard file.size >= limits.compressionThresholdByteCount else { return nil }
        let content =
            precompressed(file, system)
            ?? plain(descriptor, file, system).map { gzip($0.bytes.span, level: 6) }
        guard let content else { return nil }
        let shared = SharedBytes(content)
        cache.keep(shared, of: name, tag: file.tag)
        return shared
    }

    /// The file `name.gz` beside a file, if it is not older.
    private func precompressed(_ file: StaticFile, _ system: SystemCalls) -> [UInt8]? {
        guard let directory, let modifiedSeconds = file.modifiedSeconds else { return nil }
        do throws(SystemError) {
            let sibling = try system.files.open(file.path + ".gz", beneath: directory.root)
            let status = try system.files.status(of: sibling)
            guard status.isRegular, status.size <= limits.cachedFileByteCount,
                status.modifiedSeconds >= modifiedSeconds
            else { return nil }
            return read(sibling, status.size, system)
        } catch {
            return nil
        }
    }

    /// All bytes of a small file; nil where it cannot be read whole.
    private func read(
        _ descriptor: borrowing Descriptor, _ size: Int64, _ system: SystemCalls
    ) -> [UInt8]? {
        let count = Int(size)
        guard let content = try? system.files.read(descriptor, offset: 0, count: count),
            content.count == count
        else { return nil }
        return content
    }
}

extension ProblemDetails {
    /// If-Match or If-Unmodified-Since does not hold.
    fileprivate static let otherFile = failedPrecondition(
        "The file is not the one that the request names.")
}
