internal import Glibc

/// A file descriptor with one owner, closed when the owner ends.
///
/// `take()` moves it out of a property, for instance to hand a connection to another loop; what
/// stays behind is a descriptor that is not open.
package struct Descriptor: ~Copyable, Sendable {
    /// The number, -1 when not open. Valid only as long as this value lives.
    package private(set) var rawValue: Int32

    /// Takes over a number that nobody else will close.
    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        Self.close(rawValue)
    }

    /// There is something to close.
    package var isOpen: Bool {
        rawValue >= 0
    }

    /// Moves the descriptor out; this value is then not open.
    package mutating func take() -> Descriptor {
        let moved = Descriptor(owning: rawValue)
        rawValue = -1
        return moved
    }

    /// Closes it now; nothing happens when it is not open.
    package mutating func close() {
        Self.close(rawValue)
        rawValue = -1
    }

    /// `close(2)` is not retried: on Linux the number is free whatever it answers.
    private static func close(_ number: Int32) {
        guard number >= 0 else { return }
        let failed = Glibc.close(number) != 0
        precondition(
            !failed || errno != EBADF, "A descriptor has one owner, yet another closed it.")
    }
}

/// The number of descriptors that this process may have open.
package enum DescriptorLimit {
    /// Raises the limit to `count`, or as far as the system allows, and tells what it is then.
    /// Never lowers it.
    @discardableResult
    package static func raise(to count: Int) throws(SystemError) -> Int {
        let system = SystemCalls()
        var limit = rlimit()
        try system.check(.resourceLimit) {
            Int(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit))
        }
        guard limit.rlim_cur < rlim_t(count) else { return Int(clamping: limit.rlim_cur) }
        limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
        try system.check(.resourceLimit) {
            Int(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit))
        }
        return Int(clamping: limit.rlim_cur)
    }
}
