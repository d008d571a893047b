import Bytes
import HTTPMessages
import HTTPServer
import Redux
import Sessions
import Sockets
package import StateCoding

extension SchemaDocument {
    /// What clients get of an application, and send.
    ///
    /// - Parameter examples: the options'; those that clients may send are shown.
    package init<App: Application>(
        of application: App, _ coder: ActionCoder<App.Action>, _ views: Views<App.State>,
        examples: [App.Action] = [], at path: String
    ) {
        self.init(title: path)
        var finder = ShapeFinder(
            reserving: ["State", "Views", "Input", "Action", "Rejection"],
            samples: [application.initialState] + examples)
        func shape(of view: View<App.State>) -> Shape {
            finder.shape(of: view.code?.value ?? App.State.self)
        }
        parts = [("state", "What a client sees of a session's state.", shape(of: views.state))]
        if !views.named.isEmpty {
            let members = views.named.map { view in
                Shape.Member(name: view.name ?? "", shape: shape(of: view))
            }
            parts.append(("views", "What `?view=` shows, by the names.", .object(members)))
        }
        if App.Input.self != Never.self {
            finder.isSent = true
            let input = finder.shape(of: App.Input.self)
            parts.append(("input", "The body of the request that makes a session.", input))
        }
        parts.append(("action", "What a client may send.", coder.shape(by: &finder)))
        let codes = Set(application.rejectionCodes).sorted()
        parts.append(
            (
                "rejection", "The codes of /problems/rejected/{code}.",
                codes.isEmpty ? .text(format: nil) : .constants(codes.map(Shape.constant))
            ))
        self.examples = examples.compactMap { example in
            // Those of facts are for tests alone.
            guard let sent = try? coder.openBytes(of: example),
                (try? coder.decode(sent.span)) != nil
            else { return nil }
            var json: [UInt8] = []
            try? coder.encode(example, into: &json)
            return json.isEmpty ? nil : json
        }
        definitions = finder.definitions
        gaps = finder.gaps
    }
}

extension SchemaDocument {
    /// Clients reach the application.
    var isReachable: Bool { title.hasPrefix("/") }
}

extension Router {
    /// `GET M/schema`: what clients get of an application, and send, as JSON Schema.
    func getSchema(
        _ request: SessionRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let body =
            schemas[request.mount]
            ?? NegotiatedBody(SharedBytes(shared.mounts[request.mount].schema.json))
        schemas[request.mount] = body
        let hash = SessionID.hash(of: body.plain.bytes.span)
        try request.respond(
            Array(String(hash, radix: 36).utf8), type: "application/schema+json", in: bytes,
            on: loop
        ) { () throws(ProblemDetails) in (body, nil) }
    }
}

extension Server {
    /// The JSON Schema (2020-12) of what clients get of an application, and send: what
    /// `GET /counter/schema` answers.
    ///
    /// - Parameter path: the application's; it may be left out where the server has one application.
    public func schema(of path: String = "") throws(ServerError) -> String {
        String(decoding: try mount(at: path).schema.json, as: UTF8.self)
    }

    /// The same as types for TypeScript: `State`, `Views`, `Input`, `Action` and `Rejection`, and those
    /// that they consist of.
    ///
    /// - Parameter path: the application's; it may be left out where the server has one application.
    public func types(of path: String = "") throws(ServerError) -> String {
        try mount(at: path).schema.typeScript
    }

    func mount(at path: String) throws(ServerError) -> any MountedApplication {
        let mounts = shared.mounts.filter(\.schema.isReachable)
        let named = mounts.filter {
            path.isEmpty || [path, "/\(path)"].contains($0.schema.title)
        }
        guard named.count == 1 else {
            throw .notServed(path, mounts.map(\.schema.title).sorted())
        }
        return named[0]
    }

    /// What the arguments of a program ask for instead of a server, and the exit status; nil where they ask
    /// for nothing.
    func text(
        for arguments: ArraySlice<String>
    ) throws(ServerError) -> (text: String, status: Int32)? {
        var rest = arguments.dropFirst()
        switch arguments.first {
        case "schema": return (try schema(of: rest.first ?? ""), 0)
        case "types": return (try types(of: rest.first ?? ""), 0)
        case "what-if":
            // A path of an application is told from those of files by the applications that there are.
            let isNamed = shared.mounts.contains { $0.schema.title == rest.first }
            return try whatIf(isNamed ? rest.removeFirst() : "", Array(rest))
        default: return nil
        }
    }
}
