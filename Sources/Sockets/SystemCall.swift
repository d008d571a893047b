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
    /// `listen(2)`.
    case listen
    /// `mkdir(2)`.
    case makeDirectory = "mkdir"
    /// `openat(2)` and `openat2(2)`.
    case open = "openat"
    /// `getdents64(2)`, by `readdir(3)`.
    case readDirectory = "getdents64"
    /// `pread(2)`.
    case readFile = "pread"
    /// `recv(2)`.
    case receive = "recv"
    /// `renameat(2)`.
    case rename = "renameat"
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
    /// `fsync(2)`.
    case synchronize = "fsync"
    /// `unlinkat(2)`.
    case unlink = "unlinkat"
    /// `write(2)`.
    case writeFile = "write"
}
