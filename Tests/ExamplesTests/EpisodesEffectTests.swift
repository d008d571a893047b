import Episodes
import Foundation
import Statecast
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The effects of Episodes` {
    typealias Run = ApplicationRun<EpisodesApplication>

    /// A run on its list of episodes, whose calls wait at doors, each of its name.
    private func run(_ doors: Doors) async throws -> Run {
        var upstream = EpisodesUpstream.silent
        upstream.episodes = { query in
            await doors.wait(at: "episodes:\(query)")
            return []
        }
        upstream.episode = { id in
            await doors.wait(at: "episode:\(id)")
            throw CancellationError()
        }
        upstream.comments = { id in
            await doors.wait(at: "comments:\(id)")
            return []
        }
        let run = Run(
            EpisodesApplication(upstream: upstream), session: try #require(SessionID("run")))
        await run.receive { $0.home != nil }
        return run
    }

    @Test func `count the latest of two searches that are answered in reverse order`()
        async throws
    {
        let doors = Doors()
        let run = try await run(doors)
        await doors.arrival(at: "episodes:")
        run.send(.home(.searchEdited(text: "tin")))
        await doors.arrival(at: "episodes:tin")
        await doors.open("episodes:tin")
        await run.receive { $0.home?.loading == .idle }
        let answered = run.state
        await doors.open("episodes:")
        await run.receiveReport(where: {
            if case .fact(.home(.loaded(let request, _))) = $0 { request == 1 } else { false }
        })
        #expect(run.state == answered)
        await run.receiveEnd()
        #expect(run.store.isIdle)
    }

    @Test func `bring nothing after the screen was left`() async throws {
        let doors = Doors()
        let run = try await run(doors)
        await doors.arrival(at: "episodes:")
        await doors.open("episodes:")
        await run.receive { $0.home?.loading == .idle }
        run.send(.screens(.shown(.episode("e1"))))
        await doors.arrival(at: "episode:e1")
        await doors.arrival(at: "comments:e1")
        #expect(run.send(.screens(.dismissed(.episode("e1")))))
        let left = run.state
        #expect(run.store.isIdle)
        await doors.open("episode:e1")
        await doors.open("comments:e1")
        await run.receiveReport(where: {
            if case .fact(.comments(.loaded)) = $0 { true } else { false }
        })
        #expect(run.state == left)
    }
}
