import Statecast
import StatecastTesting
import TemporaryFolder
import Testing

/// Opens by a code that nothing shows.
private struct Safe: Application {
    struct State: StateValue {
        var code = Secret("")
        /// Made of the code.
        var print = Secret("")
        var (openings, steps) = (0, 0)
    }

    enum Action: ActionGroup {
        case locked(Secret<String>)
        case printed
        case tried(String)
        case compared(Secret<String>)
        case checked(String)
        case stepped
    }

    var stride = 1
    let initialState = State()
    let views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .locked(let code): state.code = code
        case .printed: state.print = Secret(String(state.code.value.reversed()))
        case .tried(let code): if code == state.code.value { state.openings += 1 }
        case .compared(let code): if code == state.code { state.openings += 1 }
        case .checked(let print): if state.print.matches(print) { state.openings += 1 }
        case .stepped: state.steps += stride
        }
    }

    func work(in state: State) -> [Work<Action>] {}
}

@Suite struct `A secret that a recording has left out` {
    /// Steps, openings, and a try that has opened nothing.
    private func record() async throws -> String {
        try await TestServer.run(serving: {
            Served("/safe", Safe(), options: .init(history: .always))
        }) { server in
            let safe = try server.session(of: Safe.self, at: "/safe")
            func post(_ type: String, _ payload: String? = nil) throws {
                let rest = payload.map { #","payload":"\#($0)""# } ?? ""
                #expect(
                    try server.post("/safe/sessions/test", #"{"type":"\#(type)"\#(rest)}"#).status
                        == 200)
            }
            try post("locked", "4711")
            try post("stepped")
            try post("printed")
            try post("tried", "4711")
            try post("tried", "0815")
            try post("compared", "0815")
            try post("checked", "1174")
            try post("stepped")
            return try safe.recording(of: Safe()).text
        }
    }

    @Test func `is told from a change of the reducer, by the versions that read it`() async throws {
        let text = try await record()
        #expect(text.contains(#""payload":"<redacted>""#))
        let recording = try Recording(of: Safe(), text)
        // What it decides by a secret may be as it was, and is compared then.
        #expect(recording.check() == [4, 6, 7])
        let issue = recordedText {
            _ = try? Recording(of: Safe(stride: 2), text).check()
        }
        #expect(issue.contains("The entry of version 2 comes to another state"), "\(issue)")
        #expect(issue.contains("at /steps"))
    }

    @Test func `does not hide what goes wrong behind it`() async throws {
        let text = try await record()
            .replacing(#""path":"/steps","value":2"#, with: #""path":"/steps","value":3"#)
        let issue = recordedText { _ = try? Recording(of: Safe(), text).check() }
        #expect(issue.contains("The entry of version 8 comes to another state"), "\(issue)")
    }

    @Test func `is told by the command`() async throws {
        let folder = TemporaryFolder()
        try folder.write("safe.ndjson", try await record())
        let server = try Server(TestServer.configuration) { Served("/safe", Safe()) }
        let (line, status) = try server.whatIf("/safe", ["\(folder.path)/safe.ndjson"])
        #expect(status == 0)
        #expect(
            line.hasSuffix(
                ": all 8 entries come to the same, but for 3 that read secrets, which cannot be "
                    + "compared (4, 6, 7)"), "\(line)")
    }
}
