import Logging
import Statecast
import StatecastTesting
import Testing

/// A note, beside which stands what a test wants.
private struct SizedApplication<Rest: StateValue>: Application {
    struct State: StateValue {
        var note = ""
        var rest: Rest
    }
    enum Action: ActionGroup { case written(String) }

    let initialState: State
    let views = Views<State>.all

    init(_ rest: Rest) { initialState = State(rest: rest) }

    func work(in state: State) -> [Work<Action>] {}

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        if case .written(let text) = action { state.note = text }
    }
}

/// 64 texts of 16 bytes.
private struct Wide: StateValue {
    struct Row: StateValue { var a = "", b = "", c = "", d = "", e = "", f = "", g = "", h = "" }

    var a = Row(), b = Row(), c = Row(), d = Row(), e = Row(), f = Row(), g = Row(), h = Row()
}

@Suite struct `The size of a state` {
    private static func metrics(_ server: TestServer) throws -> [String: Int] {
        let lines = try server.send("GET", "/metrics").body.split(separator: "\n")
        return Dictionary(
            uniqueKeysWithValues: lines.filter { $0.hasPrefix("statecast_state_") }.compactMap {
                let parts = $0.split(separator: " ")
                return Int(parts[1]).map { (String(parts[0]), $0) }
            })
    }

    @Test func `is told to who may inspect, and of all states the largest and the mean`()
        async throws
    {
        try await TestServer.run(serving: { Served("/sized", SizedApplication(0)) }) { server in
            let row = { (name: String) in "statecast_state_\(name)_bytes{application=\"/sized\"}" }
            #expect(try Self.metrics(server) == [row("largest"): 0, row("mean"): 0])
            var sizes: [Int] = []
            for (id, count) in [("a", 5), ("b", 3_000), ("c", 40)] {
                let path = "/sized/sessions/\(id)"
                try server.create(path)
                try server.dispatch(
                    path, "written", "\"\(String(repeating: "x", count: count))\"")
                let size = try server.send("GET", "\(path)/state").body.utf8.count
                let told = try server.send("GET", path).json()
                #expect(told["stateBytes"]?.integer == size)
                sizes.append(size)
            }
            #expect(
                try Self.metrics(server)
                    == [row("largest"): sizes[1], row("mean"): sizes.reduce(0, +) / 3])
            #expect(try server.send("DELETE", "/sized/sessions/b").status == 204)
            let left = try Self.metrics(server)
            #expect((sizes[2]...(sizes[2] * 9 / 8)).contains(left[row("largest")] ?? 0))
            #expect(left[row("mean")] == (sizes[0] + sizes[2]) / 2)
        }
    }

    @Test func `is nobody else's to know`() async throws {
        var configuration = TestServer.configuration
        configuration.operators = .none
        try await TestServer.run(configuration, serving: { Served("/sized", SizedApplication(0)) })
        {
            server in
            try server.create("/sized/sessions/a")
            #expect(!(try server.send("GET", "/sized/sessions/a").body.contains("stateBytes")))
        }
    }

    @Test func `above 1 KiB by itself is warned of at the start`() throws {
        let log = LogLines()
        var configuration = TestServer.configuration
        configuration.logger = Logger(label: "size") { _ in log.handler }
        _ = try Server(configuration) {
            Served("/narrow", SizedApplication([Wide()]))
            Served("/wide", SizedApplication(Wide()))
        }
        let lines = log.all.filter { $0.contains("bytes itself") }
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("warning A state of /wide takes 1040 bytes itself") == true)
    }
}
