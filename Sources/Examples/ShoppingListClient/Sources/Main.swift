import Foundation
import Observation
import Redux
import ShoppingListModel
import StatecastClient

/// The household's list in a terminal: what is typed is shown before the server has answered.
///
///     ShoppingListClient http://localhost:8080/list/sessions/home
@main struct Main {
    static func main() async {
        guard let url = CommandLine.arguments.dropFirst().first else {
            end("Say where the list is: http://localhost:8080/list/sessions/home")
        }
        let mirror = Mirror<ShoppingModel>(of: url)
        do {
            try await mirror.make()
        } catch {
            end(error.detail)
        }
        let heeded = Task { await heed(mirror) }
        for await _ in mirror.states { break }
        let shown = Task { await show(mirror) }
        say("+ milk adds, x 2 buys the second, - 2 removes it; end with ^D.")
        var last: Task<Void, Never>?
        for await line in AsyncStream(unfolding: { readLine() }) {
            last = type(line, into: mirror)
        }
        await last?.value
        for task in [shown, heeded] { task.cancel() }
        mirror.stop()
    }

    /// Tells how the mirror stands to the list; where that is shown no more, there is nothing to type for.
    @MainActor private static func heed(_ mirror: Mirror<ShoppingModel>) async {
        for await status in Observations({ mirror.status }) {
            switch status {
            case .refused(let problem), .lost(let problem): end(problem.detail)
            case .away(let problem): say("Trying again: \(problem.detail)")
            case .connecting, .live: break
            }
        }
    }

    /// Prints each state that is shown.
    @MainActor private static func show(_ mirror: Mirror<ShoppingModel>) async {
        for await state in mirror.states {
            if state.items.isEmpty { say("Nothing to buy.") }
            for (index, item) in state.items.enumerated() {
                say("\(item.isBought ? "x" : " ") \(index + 1) \(item.name)")
            }
        }
    }

    /// Sends what a line asks for; prints why where the server refuses it.
    @MainActor private static func type(
        _ line: String, into mirror: Mirror<ShoppingModel>
    ) -> Task<Void, Never> {
        let text = line.dropFirst(2)
        let items = mirror.state?.items ?? []
        let item = Int(text).flatMap { items.indices.contains($0 - 1) ? items[$0 - 1] : nil }
        let action: ListAction
        switch (line.prefix(2), item) {
        case ("+ ", _): action = .added(name: String(text))
        case ("x ", let item?): action = .bought(id: item.id)
        case ("- ", let item?): action = .removed(id: item.id)
        default: return Task { say("+ milk, x 2 or - 2") }
        }
        let sent = mirror.send(.list(action))
        return Task {
            do throws(MirrorProblem) {
                try await sent.confirmed()
            } catch {
                say("Not \(line): \(error.detail)")
            }
        }
    }

    /// Prints a line: what others have typed moves no cursor, and turns no text around.
    private static func say(_ line: String) {
        let scalars = line.unicodeScalars.filter {
            $0.properties.generalCategory != .control && !$0.properties.isBidiControl
        }
        print(String(String.UnicodeScalarView(scalars)))
    }

    private static func end(_ sentence: String) -> Never {
        say(sentence)
        exit(1)
    }
}

/// The list by the reducer of its server.
enum ShoppingModel: Model {
    static func reduce(
        _ state: inout ShoppingState, _ action: ShoppingAction, _ step: Step
    ) throws(Rejection) { try state.apply(action, step) }
}
