import CounterModel
import EpisodesModel
import Redux
import RidesModel
import StatecastClient
import StatecastClientCurl

// The demo applications as their clients in Swift have them.

enum Counting: Model {
    static func reduce(
        _ state: inout CounterApplication.State, _ action: CounterApplication.Action, _ step: Step
    ) throws(Rejection) { try CounterApplication().reduce(&state, action, step) }
}

enum EpisodeGuide: Model {
    static func reduce(
        _ state: inout EpisodesState, _ action: EpisodesAction, _ step: Step
    ) throws(Rejection) { try state.apply(action) }
}

enum RideOrder: Model {
    static func reduce(
        _ state: inout RidesState, _ action: RidesAction, _ step: Step
    ) throws(Rejection) { try state.apply(action, step) }
}

extension StatecastServer {
    /// A mirror of a session, which is made where there is none. It goes over libcurl: Foundation's own
    /// client may end the whole process (swift-corelibs-foundation, issue 5469).
    @MainActor func mirror<M: Model>(
        _ model: M.Type, of session: String, over transport: (any Transport)? = nil
    ) async throws -> Mirror<M> {
        let mirror = Mirror<M>(of: base + session, over: try transport ?? CurlTransport())
        try await mirror.make()
        return mirror
    }
}

extension Mirror {
    /// The first state from now on that is as wanted.
    @discardableResult
    func first(where isWanted: (M.State) -> Bool) async throws -> M.State {
        for await state in states where isWanted(state) { return state }
        throw CancellationError()
    }
}
