import Sockets
import Testing

@Suite struct SystemErrorTests {
    @Test func `an error names the call, the object and the number`() {
        let error = SystemError(.bind, .accessDenied, subject: "127.0.0.1:80")
        #expect(error.description == "bind 127.0.0.1:80: Permission denied (13)")
        let bare = SystemError(.epollCreate, .tooManyFiles)
        #expect(bare.description == "epoll_create1: Too many open files (24)")
    }
}
