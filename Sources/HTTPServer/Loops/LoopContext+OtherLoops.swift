internal import HTTPMessages
internal import Sockets

/// The ways of requests, answers and connections to other loops.
extension LoopContext {
    /// Sends a request to the loop that answers it.
    func forward(_ request: ForwardedRequest) {
        shared.mailboxes[Int(request.key.target)].post { server, loop in
            server.context.answer(request, on: loop)
        }
    }

    /// Answers a request of another loop's connection.
    private func answer(_ request: ForwardedRequest, on loop: isolated EventLoop) {
        let remote = RemoteRequest(request, in: self)
        forwards[request.key] = remote
        let exchange = Exchange(
            route: .remote(remote), serial: request.key.serial, isHead: request.framing.isHead)
        handle(
            request.head, in: request.message.span, body: request.body, exchange, on: loop)
    }

    /// Tells the loop that answers a forwarded request that its client is gone.
    func cancel(_ key: ForwardKey) {
        shared.mailboxes[Int(key.target)].post { server, loop in
            server.context.forwards[key]?.cancel(on: loop)
        }
    }

    /// Tells the loop that answers a forwarded request that the server shuts down.
    func drain(_ key: ForwardKey) {
        shared.mailboxes[Int(key.target)].post { server, loop in
            server.context.forwards[key]?.drain(on: loop)
        }
    }

    /// Sends the answer of a forwarded request to the loop of its connection.
    func send(_ answer: ForwardedAnswer, for key: ForwardKey) {
        forwards[key] = nil
        shared.mailboxes[Int(key.origin)].post { server, _ in
            let context = server.context
            guard let connection = context.connections[key.connection] else { return }
            connection.exchanges.answer(key.serial, answer, key.connection, context.output)
        }
    }

    /// Tells the loop of the connection that a forwarded request is held for nothing but its
    /// client.
    func holdForClient(_ key: ForwardKey) {
        shared.mailboxes[Int(key.origin)].post { server, loop in
            server.context.connections[key.connection]?.heldForClient(key.serial, on: loop)
        }
    }

    /// Gives a connection to another loop.
    func handOver(_ handover: Handover, to index: Int) {
        shared.mailboxes[index].post { server, loop in server.context.admit(handover, on: loop) }
    }
}
