import Redux
import ShoppingListModel
import StatecastClient

/// The household's list in a terminal: what is typed is shown before the server has answered.
///
///     ShoppingListClient http://localhost:8080/list/sessions/home
@main struct Main {
    static func main() async {
        guard let url = CommandLine.arguments.dropFirst().first else {
            return print("Say where the list is: http://localhost:8080/list/sessions/home")
        }
        let mirror = Mirror<ShoppingModel>(of: url)
        do {
            try await mirror.make()
        } catch {
            return print("\(error.detail)")
        }
        for await _ in mirror.states { break }
        let shown = Task { await show(mirror) }
        print("+ milk adds, x 2 buys the second, - 2 removes it; end with ^D.")
        var last: Task<Void, Never>?
        for await line in AsyncStream(unfolding: { readLine() }) {
            last = type(line, into: mirror)
        }
        await last?.value
        shown.cancel()
        mirror.stop()
    }

    /// Prints each state that is shown.
    @MainActor private static func show(_ mirror: Mirror<ShoppingModel>) async {
        for await state in mirror.states {
            let lines = state.items.enumerated().map { index, item in
                "\(item.isBought ? "x" : " ") \(index + 1) \(item.name)"
            }
            print(lines.isEmpty ? "Nothing to buy." : lines.joined(separator: "\n"))
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
        default: return Task { print("+ milk, x 2 or - 2") }
        }
        let sent = mirror.send(.list(action))
        return Task {
            do throws(MirrorProblem) {
                try await sent.confirmed()
            } catch {
                print("Not \(line): \(error.detail)")
            }
        }
    }
}

/// The list by the reducer of its server.
enum ShoppingModel: Model {
    static func reduce(
        _ state: inout ShoppingState, _ action: ShoppingAction, _ step: Step
    ) throws(Rejection) { try state.apply(action, step) }
}
