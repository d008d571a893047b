public import Redux

/// The whole application: a stack of screens, the last one in front.
public struct EpisodesState: StateValue {
    /// The stack is never empty and starts as `[splash]`.
    public var screens: [Screen] = [.splash]

    public init() {}

    /// The list of episodes, wherever in the stack.
    public internal(set) var home: Home? {
        get { screens.lazy.compactMap { $0.home }.first }
        set { if let newValue { replace({ $0.home != nil }, with: .home(newValue)) } }
    }

    /// The screen of a name, wherever in the stack; nil where it is not open.
    public subscript(screen name: String?) -> Screen? {
        screens.last { $0.id.name == name }
    }

    /// An episode's screens, wherever in the stack: all show the same.
    public internal(set) subscript(episode id: String) -> EpisodeDetails? {
        get { screens.lazy.compactMap { $0.episode }.first { $0.id == id } }
        set { if let newValue { replace({ $0.episode?.id == id }, with: .episode(newValue)) } }
    }

    /// The person whom profiles show, wherever in the stack.
    public internal(set) subscript(person userID: String) -> Loadable<Person>? {
        get { screens.lazy.compactMap { $0.profile }.first { $0.userID == userID }?.person }
        set {
            for (index, screen) in screens.enumerated() {
                guard var profile = screen.profile, profile.userID == userID, let newValue
                else { continue }
                profile.person = newValue
                screens[index] = .profile(profile)
            }
        }
    }

    private mutating func replace(_ isWanted: (Screen) -> Bool, with screen: Screen) {
        for index in screens.indices where isWanted(screens[index]) { screens[index] = screen }
    }

    /// The episodes that are open, each once, however many screens show it.
    public var episodes: [EpisodeDetails] {
        var ids: Set<String> = []
        return screens.compactMap { $0.episode }.filter { ids.insert($0.id).inserted }
    }

    /// The profiles that are open, one of each person.
    public var profiles: [Profile] {
        var userIDs: Set<String> = []
        return screens.compactMap { $0.profile }.filter { userIDs.insert($0.userID).inserted }
    }
}

extension Screen {
    fileprivate var home: Home? { if case .home(let home) = self { home } else { nil } }
    fileprivate var episode: EpisodeDetails? { if case .episode(let it) = self { it } else { nil } }
    fileprivate var profile: Profile? {
        if case .profile(let profile) = self { profile } else { nil }
    }
}
