import Statecast

extension ShoppingApplication {
    /// The member card outlives the session: read at launch, kept when it is scanned, forgotten
    /// when it is put away.
    func memberCard(
        of session: SessionID
    ) -> Persistence<ShoppingState, ShoppingAction, Secret<String>> {
        Persistence(
            "member-card", in: cards, key: session.description,
            select: { $0.memberCard },
            isLoaded: { if case .fact(.cardFound) = $0 { true } else { false } },
            loaded: { .fact(.cardFound($0)) },
            failed: { failure, _ in .fact(.cardFailed(failure.operation.rawValue)) })
    }

    func effects(
        starting state: ShoppingState, in session: SessionID
    ) -> [Effect<ShoppingState, ShoppingAction>] {
        [memberCard(of: session).load()]
    }

    func forget(_ session: SessionID) async throws {
        try await memberCard(of: session).forget()
    }
}

extension SavedValues<Secret<String>> {
    /// Cards in a directory, a file each, which only this process's user may read. A secret is
    /// written by hand, from its `value`: no encoder shows it.
    static func cards(in directory: String) throws -> SavedValues {
        try files(
            in: directory,
            encode: { Array($0.value.utf8) },
            decode: { Secret(String(decoding: $0, as: UTF8.self)) })
    }
}
