@testable import Episodes
@testable import EpisodesModel
@testable import Rides
@testable import RidesModel
import Statecast

@testable import ShoppingList
import ShoppingListModel

/// The examples for tests in which no work runs.
enum ExampleApplications {
    static let alice = Principal("alice")
    static let bob = Principal("bob")
    /// Two people, and a client that no access control has asked.
    static let people = [alice, bob, .anonymous]

    static let episodes = EpisodesApplication(
        upstream: EpisodesUpstream(
            episodes: { _ in throw CancellationError() },
            episode: { _ in throw CancellationError() },
            comments: { _ in throw CancellationError() },
            post: { _, _ in throw CancellationError() }, user: { _ in throw CancellationError() },
            commentsOfUser: { _ in throw CancellationError() }))

    static let rides = RidesApplication(
        upstream: .silent, userSessions: UserSessions(People()))

    static let shoppingList = ShoppingApplication(shop: .corner, cards: .init())
}
