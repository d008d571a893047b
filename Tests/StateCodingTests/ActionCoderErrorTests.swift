import Redux
import StateCoding
import Testing
import Unreflected

struct ActionCoderErrorTests {
    private static func error<Action: ActionGroup>(_ type: Action.Type) -> ActionCoderError? {
        #expect(throws: ActionCoderError.self) { _ = try ActionCoder<Action>() }
    }

    /// A type of actions, the error, and a part of its sentence.
    static let errors: [(any ActionGroup.Type, ActionCoderError, String)] = [
        (NoEnum.self, .notAnEnum(name: "NoEnum"), "write an enum"),
        (
            NamelessAction.self, .noCaseNames(name: "NamelessAction"),
            "enum CodingKeys: CodingKey, CaseIterable"
        ),
        (LeftOut.self, .notEncodable(type: "reset"), "into its enum's CodingKeys"),
        (LeftOutBelow.self, .notEncodable(type: "below/reset"), "into its enum's CodingKeys"),
        (NumberedAction.self, .notEncodable(type: "NumberedAction"), "must be a String"),
        (SlashAction.self, .unfitName(type: "a/b"), "choose another key"),
        (MixedAction.self, .mixedLabels(type: "one"), "label all of them, or none"),
        (LabelledGroup.self, .misplacedGroup(type: "home"), "write it last and unlabelled"),
        (GroupAndMore.self, .misplacedGroup(type: "home"), "write it last and unlabelled"),
        (MoreAndGroup.self, .misplacedGroup(type: "home"), "write it last and unlabelled"),
        (GroupFirst.self, .misplacedGroup(type: "home"), "write it last and unlabelled"),
        (TwoGroups.self, .severalGroups(type: "home"), "a case for each of them"),
        (OptionalGroup.self, .optionalGroup(type: "home"), "another case for nil"),
        (OptionalGroupBeside.self, .optionalGroup(type: "home"), "another case for nil"),
        (GroupBelowFacts.self, .groupBelowFacts(type: "facts/home"), "make that a FactGroup"),
        (SharedLabel.self, .sharedLabel("name", type: "row/renamed"), "rename one of them"),
        (SharedName.self, .sharedLabel("rated", type: "row/rated"), "rename one of them"),
        (SharedDeep.self, .sharedLabel("x", type: "a/b/cell"), "rename one of them"),
        (SharedLoop.self, .sharedLabel("id", type: "again"), "rename one of them"),
        (
            Spiral<Int>.self, .endlessGroups(type: String(repeating: "down/", count: 64)),
            "at most 64"
        ),
        (
            Ten<Ten<Ten<Ten<ButtonAction>>>>.self, .tooManyTypes(limit: 10_000),
            "carry a group in fewer cases"
        ),
        (
            NestAction.self, .endlessValues(type: "home/nested", limit: 1000),
            "holds itself with other arguments"
        ),
    ]

    @Test(arguments: errors.indices)
    func `a mistake in an action's type is found at start`(index: Int) {
        let (type, expected, words) = Self.errors[index]
        let error = Self.error(type)
        #expect(error == expected)
        #expect(error?.description.contains(words) == true)
        #expect(error?.description.contains("\n") == false)
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test func `without reflection, keys that can be counted do`() throws {
        let coder = try ActionCoder<UnreflectedAction>()
        #expect(coder.knownTypes == ["changed", "cleared", "row/renamed", "row/saved"])
        #expect(coder.factTypes == ["clock/ranOut", "told"])
        let actions: [UnreflectedAction] = [
            .edited(text: "x"), .cleared, .row(id: "1", .renamed(name: "n")),
            .row(id: "1", .saved(nil)),
        ]
        for action in actions {
            #expect(try coder.decode(text: coder.encoded(action)).action == action)
        }
        for fact in [UnreflectedAction.told(.value(1)), .clock(.ranOut)] {
            let text = try coder.encoded(fact)
            #expect(try coder.decodeLogged(text: text) == fact)
            let failure = #expect(throws: ActionFailure.self) { try coder.decode(text: text) }
            guard case .factNotAllowed? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }
}

struct NoEnum: ActionGroup { var a = 1 }

enum LeftOut: ActionGroup {
    case edited, reset
    enum CodingKeys: CodingKey { case edited }

    init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: CodingKeys.self)
        self = .edited
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(true, forKey: .edited)
    }
}

enum LeftOutBelow: ActionGroup { case below(LeftOut), plain }

enum NumberedAction: Int, ActionGroup { case one, two }

enum SlashAction: ActionGroup {
    case edited
    enum CodingKeys: String, CodingKey { case edited = "a/b" }
}

enum MixedAction: ActionGroup { case one(Int, b: Int) }

enum LabelledGroup: ActionGroup { case home(action: HomeAction) }

enum GroupAndMore: ActionGroup { case home(HomeAction, Int) }

enum MoreAndGroup: ActionGroup { case home(Int, HomeAction) }

enum GroupFirst: ActionGroup { case home(HomeAction, id: Int) }

enum TwoGroups: ActionGroup { case home(id: Int, HomeAction, ButtonAction) }

enum OptionalGroup: ActionGroup { case home(HomeAction?) }

enum OptionalGroupBeside: ActionGroup { case home(id: Int, HomeAction?) }

enum GroupBelowFacts: ActionGroup {
    case plain
    case facts(Facts)
    enum Facts: FactGroup { case home(HomeAction) }
}

enum SharedLabel: ActionGroup { case row(name: String, RowAction) }

enum SharedName: ActionGroup { case row(rated: Int, RowAction) }

enum SharedDeep: ActionGroup {
    case a(x: Int, Below)
    enum Below: ActionGroup { case b(RowTable) }
}

indirect enum SharedLoop: ActionGroup {
    case again(id: Int, SharedLoop)
    case stop
}

/// Ten times the types of a group.
enum Ten<Group: ActionGroup>: ActionGroup {
    case a(Group), b(Group), c(Group), d(Group), e(Group)
    case f(Group), g(Group), h(Group), i(Group), j(Group)
}

enum NestAction: ActionGroup {
    case home(Home)
    enum Home: ActionGroup { case nested(Widening<Int>), plain }
}

indirect enum Widening<Value: StateValue>: StateValue {
    case value(Value)
    case inner(Widening<[Value]>)
}

indirect enum Spiral<Value: StateValue>: ActionGroup {
    case down(Spiral<[Value]>)
    case stop
}
