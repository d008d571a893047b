import Benchmark
import BenchmarkModel
import Cards
@testable import CardsModel
import Counter
import CounterModel
@testable import Episodes
@testable import EpisodesModel
import Foundation
@testable import Rides
@testable import RidesModel
import Statecast
import StatecastTesting
import Synchronization
import Testing

@testable import ShoppingList
import ShoppingListModel

/// What others make of the schemas and types of the examples: Python's jsonschema, and the compiler of
/// TypeScript.
@Suite struct `The schemas of the examples` {
    private static let wire = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Wire")

    private static func server() throws -> Server {
        try Server {
            Served("/BenchmarkApplication", BenchmarkApplication())
            Served("/CounterApplication", CounterApplication())
            Served("/EpisodesApplication", ExampleApplications.episodes)
            Served("/LobbyApplication", LobbyApplication())
            Served("/RidesApplication", ExampleApplications.rides)
            Served("/ShoppingApplication", ExampleApplications.shoppingList)
            Served("/TableApplication", TableApplication(report: { _, _ in }))
        }
    }

    private static let names = [
        "BenchmarkApplication", "CounterApplication", "EpisodesApplication", "LobbyApplication",
        "RidesApplication", "ShoppingApplication", "TableApplication",
    ]

    /// What people see in states that random actions lead to: `{"kind":"view","name":"state of …"}`.
    private static func seen<App: Application>(
        _ application: App, initial: App.State? = nil, examples: [App.Action] = []
    ) -> [String] {
        let lines = Mutex<Set<String>>([])
        RandomActions(
            application, initial: initial, as: ExampleApplications.people,
            options: .init(examples: examples), steps: 600
        ).check { state in
            for view in application.views.names {
                let viewer = Viewer(ExampleApplications.alice, arguments: ["id": "id-1"])
                guard let json = try application.views.json(of: view, for: viewer, in: state)
                else { continue }
                let text = String(decoding: json, as: UTF8.self)
                let name = "\(view ?? "state") of a state"
                lines.withLock {
                    _ = $0.insert(#"{"kind":"view","name":"\#(name)","json":\#(text)}"#)
                }
            }
        }
        return lines.withLock { Array($0.sorted { $0.utf8.count < $1.utf8.count }.suffix(24)) }
    }

    /// All that the wire files hold of clients' actions and of views, and what is seen, is valid; each
    /// of them with another kind of value at one of its places is not.
    private static let python = """
        import copy, json, pathlib, sys
        from jsonschema import Draft202012Validator

        def places(value, at=()):
            if value is not None: yield at
            inside = value.items() if isinstance(value, dict) else \\
                enumerate(value) if isinstance(value, list) else []
            for key, child in inside: yield from places(child, at + (key,))

        def changed(value, at):
            if not at: return 7.5 if isinstance(value, str) else "x"
            value = copy.copy(value)
            value[at[0]] = changed(value[at[0]], at[1:])
            return value

        right = wrong = 0
        for file in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
            schema = json.loads(file.read_text())
            Draft202012Validator.check_schema(schema)
            parts = dict(schema["properties"])
            for name, part in parts.get("views", {}).get("properties", {}).items():
                parts[name] = part
            checks = {name: Draft202012Validator({**part, "$defs": schema["$defs"]})
                      for name, part in parts.items()}
            lines = [line for end in [".jsonl", ".seen"] for path in [file.with_suffix(end)]
                     if path.exists() for line in path.read_text().splitlines()]
            for record in map(json.loads, lines):
                kind, name, value = record["kind"], record["name"].split(" of ")[0], record["json"]
                if kind not in ("action", "view") or value is None: continue
                check = checks["action" if kind == "action" else name]
                for error in check.iter_errors(value): print(file.stem, "refuses", value, error)
                right += 1
                for at in list(places(value))[:12]:
                    if check.is_valid(changed(value, at)): print(file.stem, "takes", value, at)
                    wrong += 1
            assert not checks["action"].is_valid({"type": "unheard"})
        print("done", right > 200, wrong > 800)
        """

    @Test func `are JSON Schemas that others take, of all that clients see and send`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try Self.server()
        for name in Self.names {
            let file = folder.appending(path: "\(name).json")
            try server.schema(of: name).write(to: file, atomically: true, encoding: .utf8)
            let wire = Self.wire.appending(path: "\(name).jsonl")
            guard FileManager.default.fileExists(atPath: wire.path) else { continue }
            try FileManager.default.copyItem(
                at: wire, to: folder.appending(path: "\(name).jsonl"))
        }
        let table = try CardPlayers.table(seats: 2)
        let seen = [
            Self.seen(BenchmarkApplication(itemCount: 2)), Self.seen(CounterApplication()),
            Self.seen(ExampleApplications.episodes),
            Self.seen(
                LobbyApplication(open: { _, _ in }, end: { _, _ in }), initial: LobbyState(),
                examples: [.table(.reported(id: "1", summary: TableSummary()))]),
            Self.seen(ExampleApplications.rides), Self.seen(ExampleApplications.shoppingList),
            Self.seen(TableApplication(report: { _, _ in }), initial: table),
        ]
        for (name, lines) in zip(Self.names, seen) {
            try lines.joined(separator: "\n").write(
                to: folder.appending(path: "\(name).seen"), atomically: true, encoding: .utf8)
        }
        let output = try run("/usr/bin/python3", ["-c", Self.python, folder.path])
        #expect(output == "done True True\n")
    }

    /// Each line behind `@ts-expect-error` is one that the compiler has to refuse.
    private static let uses = """
        import * as Counter from "./CounterApplication";
        import * as Episodes from "./EpisodesApplication";
        import * as Lobby from "./LobbyApplication";
        import * as Rides from "./RidesApplication";
        import * as Shopping from "./ShoppingApplication";
        import * as Table from "./TableApplication";
        import * as Benchmark from "./BenchmarkApplication";

        function amount(action: Counter.Action): number {
            switch (action.type) {
                case "incremented": return action.payload.by;
                case "decremented": return -action.payload.by;
                case "reset": return 0;
            }
        }
        export const sums: number[] = [amount({ type: "incremented", payload: { by: 1 } })];

        function title(screen: Episodes.Screen): string {
            if (screen.home) return screen.home.searchText;
            if (screen.episode) return screen.episode.id;
            if ("profile" in screen && screen.profile) return screen.profile.userID;
            return "";
        }
        export const titles = (state: Episodes.State): string[] => state.screens.map(title);

        export function products(state: Shopping.State): string[] {
            const found = state.search.products;
            switch (found.status) {
                case "loaded": return found.value;
                case "loading": return found.value ?? [];
                case "failed": return [found.problem.message];
                case "idle": return [];
            }
        }
        export const hand = (table: Table.State): number => table.hand[0] + table.seats;
        export const phase: Lobby.State["tables"][0]["phase"] = "playing";
        export const code: Table.Rejection = "not-your-turn";
        export const rules: Table.Input = { name: "Friday", seats: 3, turnSeconds: 30 };
        export const signIn: Rides.Action = {
            type: "signIn/submitted", payload: { email: "a@b.c", password: "secret" },
        };
        export const screen: Rides.Views["screen"] = "home";
        export const record: Benchmark.Views["record"] = { id: 1, name: "", done: true, n: 0 };
        export const moved: Counter.Action = { type: "reset", meta: { by: "me" } };

        // @ts-expect-error: no such type
        export const w1: Counter.Action = { type: "doubled" };
        // @ts-expect-error: no payload
        export const w2: Counter.Action = { type: "incremented" };
        // @ts-expect-error: another label
        export const w3: Counter.Action = { type: "incremented", payload: { amount: 1 } };
        // @ts-expect-error: another kind of value
        export const w4: Counter.Action = { type: "incremented", payload: { by: "1" } };
        // @ts-expect-error: what only the server says
        export const w5: Shopping.Action = { type: "answered", payload: { value: "7" } };
        // @ts-expect-error: a value that is not there at this stage
        export const w6 = (state: Shopping.State) => state.search.products.value.length;
        // @ts-expect-error: no such phase
        export const w7: Lobby.State["tables"][0]["phase"] = "over";
        // @ts-expect-error: no such code
        export const w8: Table.Rejection = "not-my-turn";
        // @ts-expect-error: a member that may be absent
        export const w9 = (table: Table.State): string => table.you.toUpperCase();
        // @ts-expect-error: of another case
        export const w10 = (screen: Episodes.Screen): string => screen.home.searchText;
        // @ts-expect-error: a view that there is not
        export const w11: Rides.Views["map"] = null;
        // @ts-expect-error: a case without what stands in it
        export const w12 = (action: Counter.Action) => action.type === "reset" && action.payload;
        """

    @Test func `are types that narrow, for the compiler of TypeScript`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try Self.server()
        for name in Self.names {
            let file = folder.appending(path: "\(name).ts")
            try server.types(of: name).write(to: file, atomically: true, encoding: .utf8)
        }
        let file = folder.appending(path: "uses.ts")
        try Self.uses.write(to: file, atomically: true, encoding: .utf8)
        let arguments = [
            "--noEmit", "--strict", "--skipDefaultLibCheck", "--target", "es2020", file.path,
        ]
        let output = try run("/usr/bin/tsc", arguments)
        #expect(output == "")
    }

    /// All that a process prints.
    private func run(_ path: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
