internal import CLinux
internal import Glibc

/// An address and a TCP port.
package struct SocketAddress: Sendable, Hashable, BitwiseCopyable {
    /// The address.
    package let host: IPAddress
    /// The port, 0 for one that the system chooses.
    package let port: UInt16

    /// The address of a host's port.
    package init(host: IPAddress, port: UInt16) {
        self.host = host
        self.port = port
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:8080` or `[::1]:8080`.
    package var description: String {
        host.isV4 ? "\(host):\(port)" : "[\(host)]:\(port)"
    }
}

extension SocketAddress {
    /// The address in a text such as `127.0.0.1:8080` or `[::1]:8080`; nil for anything else.
    package init?(parsing text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]),
            let host = IPAddress(parsing: String(text[..<colon])),
            host.isV4 || text.hasPrefix("[")
        else { return nil }
        self.init(host: host, port: port)
    }

    /// Begins to connect, without waiting: there is room to send once it has, and the connection is over
    /// where it cannot.
    package func connect(_ system: SystemCalls) throws(SystemError) -> Descriptor {
        let kind = Int32(SOCK_STREAM.rawValue) | clinux_nonblock_cloexec
        let descriptor = try system.open(.socket) { socket(family, kind, 0) }
        let number = descriptor.rawValue
        try system.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        let result = system.perform(.connect) { _ in
            unsafe withSocketAddress { Int(unsafe Glibc.connect(number, $0, $1)) }
        }
        guard result >= 0 || result == -Int(EINPROGRESS) else {
            throw SystemError(.connect, Errno(rawValue: Int32(-result)), subject: description)
        }
        return descriptor
    }

    /// The addresses of a host, IPv4 first: a literal of either family (IPv6 also in brackets),
    /// or a name, which is looked up and may block.
    package static func resolve(host: String, port: UInt16) throws(SystemError) -> [SocketAddress] {
        let name =
            host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = unsafe getaddrinfo(name, nil, &hints, &list)
        guard failure == 0 else {
            let code = failure == EAI_SYSTEM ? Errno.current : .addressNotAvailable
            throw SystemError(.resolve, code, subject: host)
        }
        defer { unsafe freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            let address = unsafe SocketAddress(UnsafeRawPointer(entry.pointee.ai_addr))
            if let address { found.append(SocketAddress(host: address.host, port: port)) }
            unsafe next = entry.pointee.ai_next
        }
        return found.filter(\.host.isV4) + found.filter { !$0.host.isV4 }
    }

    /// Reads a `sockaddr_in` or `sockaddr_in6`; nil for another family.
    init?(_ pointer: UnsafeRawPointer?) {
        guard let pointer = unsafe pointer else { return nil }
        switch Int32(unsafe pointer.load(as: sa_family_t.self)) {
        case AF_INET:
            let address = unsafe pointer.load(as: sockaddr_in.self)
            self.init(
                host: IPAddress(v4: UInt32(bigEndian: address.sin_addr.s_addr)),
                port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let bytes = unsafe pointer.advanced(by: 8)
            self.init(
                host: IPAddress(
                    high: UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self)),
                    low: UInt64(
                        bigEndian: unsafe bytes.loadUnaligned(
                            fromByteOffset: 8, as: UInt64.self))),
                port: UInt16(
                    bigEndian: unsafe pointer.load(fromByteOffset: 2, as: UInt16.self)))
        default: return nil
        }
    }

    /// The address that `body` writes where it is told; nil where it writes none.
    static func written<Failure>(
        by body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) throws(Failure) -> Void
    ) throws(Failure) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        try unsafe withUnsafeMutablePointer(to: &storage) { storage throws(Failure) in
            try unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                address throws(Failure) in
                try unsafe body(address, &length)
            }
        }
        return unsafe withUnsafeBytes(of: &storage) { unsafe SocketAddress($0.baseAddress) }
    }

    /// The family that a socket for this address has.
    var family: Int32 {
        host.isV4 ? AF_INET : AF_INET6
    }

    /// Calls `body` with the address in the kernel's form.
    func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int) -> Int {
        var storage = sockaddr_storage()
        let length = host.isV4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe $0.storeBytes(of: sa_family_t(family), as: sa_family_t.self)
            unsafe $0.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            if host.isV4 {
                let bits = UInt32(truncatingIfNeeded: host.low).bigEndian
                unsafe $0.storeBytes(of: bits, toByteOffset: 4, as: UInt32.self)
            } else {
                unsafe $0.storeBytes(of: host.high.bigEndian, toByteOffset: 8, as: UInt64.self)
                unsafe $0.storeBytes(of: host.low.bigEndian, toByteOffset: 16, as: UInt64.self)
            }
        }
        return unsafe withUnsafePointer(to: &storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(length))
            }
        }
    }
}
