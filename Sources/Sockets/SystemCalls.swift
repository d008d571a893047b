internal import CLinux
internal import Glibc

/// The system calls, all of them through here.
///
/// Each retries `EINTR`, answers would-block as a value, and traps on the numbers that only a
/// mistake of ours can cause (`EBADF`, `EFAULT`, `ENOTSOCK`). With `faults`, a call may fail
/// or move fewer bytes than it could; without, that costs a test for nil.
package struct SystemCalls: Sendable {
    /// Makes calls fail, in tests; asked before each call, on its thread.
    package typealias Faults = @Sendable (SystemCall) -> Fault?

    let faults: Faults?

    package init(faults: Faults? = nil) {
        self.faults = faults
    }

    /// Makes a call until it is not interrupted: its result, or minus the number of its error.
    /// `attempt` gets how many bytes it may move at most.
    @inline(__always)
    func perform(_ call: SystemCall, upTo count: Int = 0, _ attempt: (Int) -> Int) -> Int {
        while true {
            let result =
                faults == nil ? attempt(count) : performFaulty(call, upTo: count, attempt)
            if result >= 0 { return result }
            let code = Errno.current
            if code == .interrupted { continue }
            precondition(!code.isMisuse, "\(call.rawValue) was given what is no open descriptor.")
            return -Int(code.rawValue)
        }
    }

    @inline(never)
    private func performFaulty(
        _ call: SystemCall, upTo count: Int, _ attempt: (Int) -> Int
    ) -> Int {
        switch faults?(call) {
        case nil: return attempt(count)
        case .short(let limit): return attempt(count == 0 ? 0 : min(max(1, limit), count))
        case .failure(let code):
            errno = code.rawValue
            return -1
        }
    }

    /// As `perform`, for calls whose failure is exceptional.
    @discardableResult
    func check(
        _ call: SystemCall, subject: @autoclosure () -> String = "", _ attempt: () -> Int
    ) throws(SystemError) -> Int {
        let result = perform(call) { _ in attempt() }
        guard result >= 0 else {
            throw SystemError(call, Errno(rawValue: Int32(-result)), subject: subject())
        }
        return result
    }

    /// As `check`, for calls whose result is a descriptor.
    func open(
        _ call: SystemCall, subject: @autoclosure () -> String = "", _ attempt: () -> Int32
    ) throws(SystemError) -> Descriptor {
        let number = try check(call, subject: subject()) { Int(attempt()) }
        return Descriptor(owning: Int32(number))
    }

    // MARK: Bytes

    /// `recv(2)` into raw memory.
    @inline(__always)
    func receive(
        from descriptor: borrowing Descriptor, into buffer: UnsafeMutableRawBufferPointer
    ) -> IOResult {
        let number = descriptor.rawValue
        let result = perform(.receive, upTo: buffer.count) {
            unsafe recv(number, buffer.baseAddress, $0, 0)
        }
        return IOResult(result, endsAtZero: true)
    }

    /// Sends as many of the bytes as there is room for. Never raises SIGPIPE.
    package func send(_ bytes: Span<UInt8>, to descriptor: borrowing Descriptor) -> IOResult {
        let number = descriptor.rawValue
        let result = perform(.send, upTo: bytes.count) { count in
            unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(number, $0.baseAddress, count, Int32(MSG_NOSIGNAL))
            }
        }
        return IOResult(result, endsAtZero: false)
    }

    /// Gathers the vectors into one write; they hold `count` bytes together. A short fault sends
    /// from the first vector only.
    func sendGathered(
        _ vectors: UnsafeMutableBufferPointer<iovec>, count: Int,
        to descriptor: borrowing Descriptor
    ) -> IOResult {
        let number = descriptor.rawValue
        let result = perform(.sendGathered, upTo: count) { limit in
            var message = unsafe msghdr()
            unsafe message.msg_iov = vectors.baseAddress
            unsafe message.msg_iovlen = vectors.count
            guard limit == count || vectors.isEmpty else {
                unsafe message.msg_iovlen = 1
                let first = unsafe vectors[0].iov_len
                unsafe vectors[0].iov_len = min(first, limit)
                defer { unsafe vectors[0].iov_len = first }
                return unsafe sendmsg(number, &message, Int32(MSG_NOSIGNAL))
            }
            return unsafe sendmsg(number, &message, Int32(MSG_NOSIGNAL))
        }
        return IOResult(result, endsAtZero: false)
    }

    /// Sends `count` bytes of a file from `offset` on without copying them through the process;
    /// `offset` moves by what was sent. `.closed` when the file ends before `offset`.
    package func sendFile(
        _ file: borrowing Descriptor, offset: inout Int64, count: Int,
        to descriptor: borrowing Descriptor
    ) -> IOResult {
        let (source, target) = (file.rawValue, descriptor.rawValue)
        var position = off_t(offset)
        let result = perform(.sendFile, upTo: count) {
            unsafe sendfile(target, source, &position, $0)
        }
        offset = Int64(position)
        return IOResult(result, endsAtZero: true)
    }

    /// Ends the sending side: the peer reads the end, and can still send.
    package func shutdownWrite(_ descriptor: borrowing Descriptor) throws(SystemError) {
        let number = descriptor.rawValue
        try check(.shutdown) { Int(shutdown(number, Int32(SHUT_WR))) }
    }

    /// Has the kernel take no more than so many bytes that it cannot send yet: the socket is
    /// writable when less than half of them wait (`TCP_NOTSENT_LOWAT`).
    package func limitUnsent(
        _ descriptor: borrowing Descriptor, to byteCount: Int
    ) throws(SystemError) {
        try setOption(
            descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, Int32(clamping: max(1, byteCount)))
    }

    // MARK: Epoll and its wake-up

    /// Adds 1 to an eventfd's count. The count cannot reach its end, so this cannot fail.
    func signal(_ descriptor: borrowing Descriptor) {
        let number = descriptor.rawValue
        _ = perform(.send) { _ in Int(eventfd_write(number, 1)) }
    }

    func control(
        _ epoll: borrowing Descriptor, _ operation: Int32, _ number: Int32, events: UInt32,
        userData: UInt64
    ) throws(SystemError) {
        let epoll = epoll.rawValue
        try check(.epollControl) {
            var event = unsafe epoll_event()
            unsafe event.events = events
            unsafe event.data.u64 = userData
            return Int(unsafe epoll_ctl(epoll, operation, number, &event))
        }
    }

    /// Waits for events. A loop's thread takes no signals, so a retry does not prolong the wait.
    @inline(__always)
    func wait(
        on epoll: borrowing Descriptor, into events: UnsafeMutableBufferPointer<epoll_event>,
        timeoutMilliseconds: Int32
    ) -> Int {
        let number = epoll.rawValue
        let result = perform(.epollWait, upTo: 0) { _ in
            Int(
                unsafe epoll_wait(
                    number, events.baseAddress, Int32(events.count), timeoutMilliseconds))
        }
        precondition(result >= 0, "epoll_wait fails only for a bad argument.")
        return result
    }
}

/// A fault that a system call has instead of, or besides, its ordinary work.
package enum Fault: Sendable, Hashable {
    /// The call is not made and fails with this number. `Errno.interrupted` is retried, as ever.
    case failure(Errno)
    /// The call is made for at most this many bytes, at least 1: a short read or write.
    case short(Int)
}

extension SystemCalls {
    /// Sets one socket option, to an `Int32` or to a structure of C.
    func setOption<Value: BitwiseCopyable>(
        _ descriptor: borrowing Descriptor, _ level: Int32, _ name: Int32, _ value: Value
    ) throws(SystemError) {
        let number = descriptor.rawValue
        let size = socklen_t(MemoryLayout<Value>.size)
        try check(.setOption) {
            unsafe withUnsafeBytes(of: value) {
                Int(unsafe setsockopt(number, level, name, $0.baseAddress, size))
            }
        }
    }
}

extension SystemCalls {
    /// Applies the fault plan to each transfer of a batch: shortens it, or has it fail. One that
    /// fails is given to the kernel without a socket; its number and its result are returned.
    func takeFaults(
        of transfers: UnsafeMutableBufferPointer<clinux_transfer>, _ call: SystemCall
    ) -> [Int: (number: Int32, result: Int32)] {
        guard let faults else { return [:] }
        var failures: [Int: (number: Int32, result: Int32)] = [:]
        for position in transfers.indices {
            var fault = faults(call)
            while case .failure(.interrupted) = fault { fault = faults(call) }
            switch fault {
            case nil: break
            case .short(let limit):
                unsafe transfers[position].count = min(
                    transfers[position].count, UInt32(clamping: max(1, limit)))
            case .failure(let code):
                failures[position] = unsafe (transfers[position].descriptor, -code.rawValue)
                unsafe transfers[position].descriptor = -1
            }
        }
        return failures
    }
}

extension SystemCalls {
    /// Starts a thread that runs the closure. Throws a `SystemError` that names the thread where
    /// the system refuses one (`EAGAIN`: a limit of the user, of the container or of memory).
    ///
    /// - Parameters:
    ///   - name: shown by a debugger, at most 15 bytes.
    ///   - stackByteCount: whole pages of memory.
    func startThread(
        name: String, stackByteCount: Int = NamedThread.defaultStackByteCount,
        _ run: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        try check(.startThread, subject: name) {
            do throws(ThreadRefusal) {
                try NamedThread.start(name: name, stackByteCount: stackByteCount, run)
                return 0
            } catch {
                errno = error.code
                return -1
            }
        }
    }
}

extension SystemCalls {
    /// The calls on files, failing as the same plan says.
    package var files: FileCalls { FileCalls(system: self) }
}

/// The system calls of this module, by name: what an error names and a fault plan counts.
package enum SystemCall: String, Sendable, Hashable, CaseIterable {
    /// `accept4(2)`.
    case accept
    /// `bind(2)`.
    case bind
    /// `connect(2)`.
    case connect
    /// `epoll_create1(2)`.
    case epollCreate = "epoll_create1"
    /// `epoll_ctl(2)`.
    case epollControl = "epoll_ctl"
    /// `epoll_wait(2)`.
    case epollWait = "epoll_wait"
    /// `eventfd(2)`.
    case eventDescriptor = "eventfd"
    /// `fstat(2)`.
    case fileStatus = "fstat"
    /// `getsockname(2)`.
    case socketName = "getsockname"
    /// `io_uring_enter(2)`: many sends by one call. Each of them is a `send`, too.
    case sendTogether = "io_uring_enter for sends"
    /// `io_uring_enter(2)`: many receives by one call. Each of them is a `receive`, too.
    case receiveTogether = "io_uring_enter for receives"
    /// `io_uring_setup(2)`.
    case makeRing = "io_uring_setup"
    /// `fcntl(2)` of a lease: whether somebody writes a file.
    case lease = "fcntl"
    /// `listen(2)`.
    case listen
    /// `openat(2)` and `openat2(2)`.
    case open = "openat"
    /// `pread(2)`.
    case readFile = "pread"
    /// `recv(2)`.
    case receive = "recv"
    /// `renameat2(2)`.
    case rename = "renameat2"
    /// `getaddrinfo(3)`.
    case resolve = "getaddrinfo"
    /// `getrlimit(2)` and `setrlimit(2)`.
    case resourceLimit = "setrlimit"
    /// `send(2)`.
    case send
    /// `sendfile(2)`.
    case sendFile = "sendfile"
    /// `sendmsg(2)`, the gathering write.
    case sendGathered = "sendmsg"
    /// `setsockopt(2)`.
    case setOption = "setsockopt"
    /// `shutdown(2)`.
    case shutdown
    /// `socket(2)`.
    case socket
    /// `pthread_create(3)`.
    case startThread = "pthread_create"
    /// `inotify_init1(2)`, `inotify_add_watch(2)` and the reading of events.
    case watch = "inotify"
    /// `write(2)`.
    case write
}

/// The result of a system call that moves bytes. Would-block is a value, not an error.
package enum IOResult: Sendable, Hashable {
    /// This many bytes were moved: at least one, perhaps fewer than asked for.
    case bytes(Int)
    /// Nothing to read, or no room to write, for now: wait for readiness.
    case wouldBlock
    /// The peer has ended its side in order; only a receiving call says so.
    case closed
    /// The connection or the file is lost.
    case failed(Errno)

    /// What one call among many came to; nil when it was not made, so that a call of its own says
    /// more: the kernel needs memory for each of many. 0 means the end where `endsAtZero`.
    @inline(__always)
    init?(ofTransfer result: Int32, endsAtZero: Bool) {
        switch result {
        case clinux_not_made, -EINTR, -ENOMEM, -ENOBUFS: return nil
        case -EBADF, -EFAULT, -ENOTSOCK:
            preconditionFailure("A batch was given what is no open socket.")
        default: self.init(Int(result), endsAtZero: endsAtZero)
        }
    }

    /// What a call that answers minus the number of its error came to.
    @inline(__always)
    init(_ result: Int, endsAtZero: Bool) {
        switch result {
        case -Int(EAGAIN): self = .wouldBlock
        case 0 where endsAtZero: self = .closed
        case 0...: self = .bytes(result)
        default: self = .failed(Errno(rawValue: Int32(-result)))
        }
    }
}
