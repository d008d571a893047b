import Foundation
import Glibc
import Synchronization
import Threads

/// Stands between a journal and its database, or between two servers, and cuts, keeps back and refuses as a
/// network does.
package final class Proxy: Sendable {
    private struct Link {
        /// Nil once that end is closed.
        var client: Int32?
        var server: Int32?
        /// The connection's number among those of a journal, as its first words say.
        var lane: Int?
        /// What the client says is kept back.
        var isHeld = false
        var held: [UInt8] = []

        mutating func closeClient() {
            if let client { Glibc.close(client) }
            client = nil
        }

        mutating func closeServer() {
            if let server { Glibc.close(server) }
            server = nil
        }
    }

    private struct State {
        var links: [Link] = []
        var isClosed = false
        var isSilent = false
        var isOver = false
        /// Nil where nobody wants to know.
        var heard: [UInt8]?
        /// What a server says otherwise than it does.
        var changed: (from: [UInt8], to: [UInt8])?
    }

    /// Where a socket stands: a path, or a port of an address of this machine.
    private enum Place: Sendable {
        case path(String)
        case port(UInt16, String)

        var family: Int32 { if case .path = self { AF_UNIX } else { AF_INET } }

        func open() -> Int32 { socket(family, Int32(SOCK_STREAM.rawValue), 0) }
    }

    /// The folder of the socket by which a journal reaches it.
    package let place: String
    /// The port by which a server reaches it; 0 before a database.
    package let port: UInt16
    private let target: Place
    private let state = Lock(State())

    /// Before a database.
    package init(to target: String) throws {
        place = "/tmp/proxy-\(UInt32.random(in: 0 ... .max))"
        (self.target, port) = (.path(target), 0)
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: false)
        let (listener, _) = try Self.listen(at: .path("\(place)/.s.PGSQL.5432"))
        try start(listener)
    }

    /// Before a server, which has the same port of another address.
    package init(at host: String, to target: String) throws {
        let (listener, port) = try Self.listen(at: .port(0, host))
        (self.port, place, self.target) = (port, "", .port(port, target))
        try start(listener)
    }

    private func start(_ listener: Int32) throws {
        try NamedThread.start(name: "proxy") { [weak self, place] in
            while let self, self.turn(listener) {}
            Glibc.close(listener)
            if !place.isEmpty { try? FileManager.default.removeItem(atPath: place) }
        }
    }

    private static func listen(at place: Place) throws -> (descriptor: Int32, port: UInt16) {
        let listener = place.open()
        let isBound = unsafe withAddress(of: place) { unsafe bind(listener, $0, $1) }
        guard isBound == 0, Glibc.listen(listener, 64) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        guard case .port = place else { return (listener, 0) }
        var (address, count) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        _ = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(listener, $0, &count)
            }
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    deinit {
        state.withLock { state in
            for index in state.links.indices {
                state.links[index].closeClient()
                state.links[index].closeServer()
            }
        }
    }

    // MARK: What a test has it do

    /// New connections end at once.
    package var isClosed: Bool {
        get { state.withLock(\.isClosed) }
        set { state.withLock { $0.isClosed = newValue } }
    }

    /// New connections are not answered.
    package func fallSilent() { state.withLock { $0.isSilent = true } }

    /// Ends connections.
    package func cut(lane: Int? = nil) {
        change(lane) { link in
            link.closeClient()
            link.closeServer()
        }
    }

    /// Keeps back what is said from now on.
    package func hold(lane: Int? = nil) { change(lane) { $0.isHeld = true } }

    /// The journal loses its connections; what it has said last is still on the way.
    package func cutClients(lane: Int? = nil) { change(lane) { $0.closeClient() } }

    /// What was kept back arrives.
    package func release() {
        change(nil) { link in
            link.isHeld = false
            if let server = link.server { Self.write(link.held, to: server) }
            link.held = []
        }
    }

    /// What both sides say from now on is kept.
    package func listen() { state.withLock { $0.heard = [] } }

    /// What both sides have said since.
    package var heard: [UInt8] { state.withLock { $0.heard ?? [] } }

    /// The server seems to say something else than it does, in as many bytes.
    package func change(_ from: [UInt8], to other: [UInt8]) {
        state.withLock { $0.changed = (from, other) }
    }

    package func heldCount(lane: Int) -> Int {
        state.withLock { state in
            state.links.reduce(0) { $0 + ($1.lane == lane ? $1.held.count : 0) }
        }
    }

    private func change(_ lane: Int?, _ body: (inout Link) -> Void) {
        state.withLock { state in
            for index in state.links.indices
            where lane == nil || state.links[index].lane == lane {
                body(&state.links[index])
            }
        }
    }

    // MARK: Its thread

    /// - Returns: false once nobody needs it.
    private func turn(_ listener: Int32) -> Bool {
        let (links, isSilent) = state.withLock { state in
            state.links.removeAll { $0.client == nil && $0.server == nil }
            return (state.links, state.isSilent)
        }
        var polled = [
            pollfd(fd: isSilent ? -1 : listener, events: Int16(POLLIN), revents: 0)
        ]
        for link in links {
            for end in [link.client, link.server] {
                // One that is closed is not looked at.
                polled.append(pollfd(fd: end ?? -1, events: Int16(POLLIN), revents: 0))
            }
        }
        guard unsafe poll(&polled, nfds_t(polled.count), 5) > 0 else { return true }
        if polled[0].revents != 0 { accept(listener) }
        for (index, link) in links.enumerated() {
            if polled[1 + 2 * index].revents != 0, let client = link.client { pass(from: client) }
            if polled[2 + 2 * index].revents != 0, let server = link.server { pass(to: server) }
        }
        return true
    }

    private func accept(_ listener: Int32) {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0, !isClosed else { return _ = Glibc.close(client) }
        let server = target.open()
        let isConnected = unsafe Self.withAddress(of: target) { unsafe connect(server, $0, $1) }
        guard isConnected == 0 else {
            Glibc.close(server)
            return _ = Glibc.close(client)
        }
        state.withLock { $0.links.append(Link(client: client, server: server)) }
    }

    private func pass(from client: Int32) {
        state.withLock { state in
            guard let index = state.links.firstIndex(where: { $0.client == client }) else { return }
            guard let bytes = Self.read(client) else { return }
            state.heard?.append(contentsOf: bytes)
            if bytes.isEmpty {
                state.links[index].closeClient()
                if !state.links[index].isHeld { state.links[index].closeServer() }
            } else if state.links[index].isHeld {
                state.links[index].held += bytes
            } else if let server = state.links[index].server {
                state.links[index].lane = state.links[index].lane ?? Self.lane(in: bytes)
                Self.write(bytes, to: server)
            }
        }
    }

    private func pass(to server: Int32) {
        state.withLock { state in
            guard let index = state.links.firstIndex(where: { $0.server == server }) else { return }
            guard var bytes = Self.read(server) else { return }
            state.heard?.append(contentsOf: bytes)
            if let (from, other) = state.changed { bytes.replace(from, with: other) }
            if bytes.isEmpty {
                state.links[index].closeClient()
                state.links[index].closeServer()
            } else if let client = state.links[index].client {
                Self.write(bytes, to: client)
            }
        }
    }

    private static func lane(in bytes: [UInt8]) -> Int? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let place = text.range(of: "'statecast.lane', '") else { return nil }
        return text[place.upperBound...].first?.wholeNumberValue
    }

    /// Nil where there is nothing: the number may be another connection's by now.
    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 && errno == EAGAIN ? nil : Array(bytes.prefix(max(0, count)))
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }

    private static func withAddress(
        of place: Place, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        switch place {
        case .path(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) {
                unsafe $0.copyBytes(from: path.utf8)
            }
            return unsafe withAddress(address, body)
        case .port(let port, let host):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = unsafe inet_addr(host)
            return unsafe withAddress(address, body)
        }
    }

    private static func withAddress<Address>(
        _ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
