import Bytes
import Journaling
import Redux
import Sessions
import StateCoding
import Statecast

/// From a committed state to the views that its change is to be published of, in a session whose
/// players watch a private view each, or one that they share.
final class ViewMeasurement {
    /// The view that a player watches.
    enum Subject: String, CaseIterable {
        /// The own part of the state, which is the input of the view.
        case own
        /// The own part of the state, of a view without an input.
        case computed
        /// The first player's part, for all.
        case shared
        /// The parts of all players, for all.
        case list
        /// The own part beside a chat, in which a line is said.
        case chat
    }

    /// The medians of many changes, in microseconds.
    struct Figures {
        /// The question who is of another class than before.
        var regrouping = 0.0
        /// The views.
        var publication = 0.0
        /// What one client is sent: the last patch, where there is one, or nothing.
        var patchByteCount = 0
    }

    private final class Receiver: AppendReceiver {
        func appended(_ outcomes: [TicketOutcome]) {}
    }

    /// The viewers of a projection.
    private final class Players {
        let viewers: [Viewer]

        init(_ viewers: [Viewer]) {
            self.viewers = viewers
        }
    }

    private static let rounds = 1_001
    /// A chat takes a thousand times as long.
    private static let chatRounds = 101

    private let subject: Subject
    private let store: PlayersStore
    private let session: Session
    /// A projection whose patches are asked for.
    private var patched: Projection?
    private let now = Timestamp(milliseconds: 0)

    private static let views = Views<PlayersState>(
        state: .nothing,
        View(
            Subject.own.rawValue, of: { state, player in state.players[player] },
            by: { _, viewer in Int(viewer.id ?? "") ?? 0 }
        ) { player, _ in player },
        View(Subject.computed.rawValue, by: { _, viewer in Int(viewer.id ?? "") ?? 0 }) {
            state, player in
            state.players[player]
        },
        View(Subject.shared.rawValue) { state in state.players[0] },
        View(Subject.list.rawValue) { state in state.players },
        View(Subject.chat.rawValue, by: { _, viewer in Int(viewer.id ?? "") ?? 0 }) {
            state, player in
            PlayersState.Seen(lines: state.lines, own: state.players[player])
        })

    /// Nil where the session does not begin.
    ///
    /// - Parameter wantsPatches: the players are sent patches.
    init?(
        _ subject: Subject, players count: Int, watchers watcherCount: Int,
        wantsPatches: Bool = false
    ) {
        guard let id = SessionID("table") else { return nil }
        self.subject = subject
        store = PlayersStore(PlayersState(count: count), Self.views)
        let instant = Instant(nanoseconds: 0)
        session = Session(
            id: id, mount: 0,
            opened: OpenedSession(
                lease: Lease(session: 1, number: 1), epoch: "e", created: now, document: nil,
                keys: []),
            store: store, at: instant,
            SessionContext(
                limits: SessionLimits(), journal: MemoryJournal(), receiver: Receiver(),
                budget: MemoryBudget(limit: 1 << 30, loopCount: 1), loopIndex: 0,
                readClock: { instant }, report: { _, _, _ in }))
        for number in 0..<watcherCount { watch(subject, number, wantsPatches: wantsPatches) }
    }

    private func watch(_ subject: Subject, _ number: Int, wantsPatches: Bool) {
        let viewer = Viewer(Principal("\(number)"))
        let projection = session.projections.find(subject.rawValue, for: viewer)
        session.add(watchers: 1, to: projection)
        if wantsPatches {
            session.keepPatches(of: projection)
            projection.addPatchWatchers(1)
            patched = projection
        }
        projection.audience = Players([viewer])
    }

    /// What each change of the first player's part costs, or each line of the chat; nil where other
    /// than one view is published, or those of the chat.
    func measure() -> Figures? {
        var figures: [Figures] = []
        var patchByteCount = 0
        let isChat = subject == .chat
        let viewCount = isChat ? session.projections.all.count - 1 : 1
        for round in 0..<(isChat ? Self.chatRounds : Self.rounds) {
            store.dispatch(
                isChat
                    ? .said(.init(by: "player number 0", text: "This is line \(1_000 + round)."))
                    : .drew(player: 0, card: 1_000 + round))
            var figure = Figures()
            var published = 0
            while true {
                let clock = ContinuousClock.now
                guard let step = session.nextStep(at: now) else { break }
                if case .publish(_, let others) = step { published = others.count }
                if case .regroup = step { askForClasses() }
                let duration = clock.duration(to: .now)
                let microseconds = Double(duration.components.attoseconds) / 1e12
                if case .regroup = step {
                    figure.regrouping += microseconds
                } else {
                    figure.publication += microseconds
                }
            }
            guard published == viewCount || round == 0 else { return nil }
            figures.append(figure)
            if let patched, case .patch(_, let operations) = patched.catchUp(from: UInt64(round)) {
                patchByteCount = operations.count
            }
        }
        return Figures(
            regrouping: median(figures.map(\.regrouping)),
            publication: median(figures.map(\.publication)), patchByteCount: patchByteCount)
    }

    /// Does what a server does where clients are to go to the projections of their classes, as far
    /// as none goes.
    private func askForClasses() {
        for (view, projections) in session.projections.classed {
            let groups = projections.map { projection in
                ViewerGroup(
                    projection.viewerClass, (projection.audience as? Players)?.viewers ?? [])
            }
            precondition(
                store.leavers(ofView: view, among: groups.span).isEmpty,
                "Nobody becomes another player.")
        }
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
