internal import CCurl

/// The one door through which other threads reach a `MultiHandle`: it ends a wait.
///
/// It owns libcurl's handle; the last reference frees it, with the idle connections.
///
/// Sendable though it holds a pointer: the only function called through it on any thread is
/// curl_multi_wakeup, which libcurl allows from everywhere while the handle lives.
@safe package final class MultiWaker: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    /// A handle that keeps up to `idleConnectionLimit` connections for reuse.
    package init(idleConnectionLimit: Int) {
        startLibrary()
        guard let pointer = unsafe curl_multi_init() else {
            preconditionFailure("libcurl found no memory for a handle")
        }
        unsafe self.pointer = unsafe pointer
        unsafe ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, max(1, idleConnectionLimit))
    }

    deinit {
        unsafe curl_multi_cleanup(pointer)
    }

    /// Ends the wait that is going on, or the next one at once.
    package func wake() {
        unsafe curl_multi_wakeup(pointer)
    }
}

/// Many transfers on one thread: the thread that makes it is the only one to use it.
package struct MultiHandle: ~Copyable {
    private let waker: MultiWaker

    /// Takes the waker's handle into use; there is one `MultiHandle` to a waker.
    package init(_ waker: MultiWaker) {
        self.waker = waker
    }

    /// Begins the transfer. It has to be removed before its handle is destroyed.
    package mutating func add(_ easy: borrowing EasyHandle) {
        let code = unsafe curl_multi_add_handle(waker.pointer, easy.pointer)
        precondition(code == CURLM_OK, "a transfer was added twice")
    }

    /// Ends the transfer, finished or not; a connection in the middle of an answer is closed.
    package mutating func remove(_ easy: borrowing EasyHandle) {
        unsafe curl_multi_remove_handle(waker.pointer, easy.pointer)
    }

    /// Does what can be done without waiting; calls the receivers.
    package mutating func perform() {
        var running: Int32 = 0
        unsafe curl_multi_perform(waker.pointer, &running)
    }

    /// A transfer that has ended since the last call, and how; nil when there are no more.
    package mutating func nextDone() -> (id: UInt, failure: CurlFailure?)? {
        var easy: UnsafeMutableRawPointer?
        var result = CURLE_OK
        guard unsafe ccurl_multi_next_done(waker.pointer, &easy, &result) else { return nil }
        let failure = result == CURLE_OK ? nil : CurlFailure(result)
        return (UInt(bitPattern: easy), failure)
    }

    /// Waits until a transfer can go on, `MultiWaker.wake` is called or the time has passed.
    package mutating func wait(_ timeout: Duration) {
        let milliseconds = Int32(clamping: max(0, timeout.milliseconds))
        unsafe curl_multi_poll(waker.pointer, nil, 0, milliseconds, nil)
    }
}

private let status = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

/// Sets libcurl's own state up, before the first handle. The first call does it, on whatever thread;
/// the others wait for it and pass.
func startLibrary() {
    precondition(status == CURLE_OK, "libcurl cannot be initialized")
}
