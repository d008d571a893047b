import Redux

enum HomeAction: ActionGroup {
    case searchEdited(text: String)
    case refreshed
    case jumped(Int?)
    case found(Answer<[String]>)
}

enum SampleAction: ActionGroup {
    case incremented(by: Int)
    case reset
    case named(String)
    case moved(Int, Int)
    case tagged(Fruit)
    case noted(String?)
    case home(HomeAction)
    case arrived(Answer<Done>)
}

enum ButtonAction: String, ActionGroup, CaseIterable { case pressed, released }

indirect enum DeepAction: ActionGroup {
    case down(DeepAction)
    case stop
}

enum RenamedAction: ActionGroup {
    case edited(text: String)
    case cleared
    case list(RenamedGroup)

    enum CodingKeys: String, CodingKey {
        case cleared, list
        case edited = "changed"
    }

    enum EditedCodingKeys: String, CodingKey { case text = "words" }
}

enum RenamedGroup: ActionGroup {
    case said(Int)
    case answered(Problem)

    enum CodingKeys: String, CodingKey {
        case said
        case answered = "heard"
    }
}

/// Facts in every place where a value can be.
/// Groups, and values, that take no bytes.
enum ShellAction: ActionGroup {
    case tab(TabAction)
    case row(id: Int, TabAction)
    case pair(mark: Blank, TabAction)
    case blank(Blank)
    case marked(mark: Blank, also: Blank)
    case bell(BellFact)
    case window(WindowAction)
    case plain
}

enum TabAction: ActionGroup { case opened }

/// It takes no bytes but the number of its case.
enum WindowAction: ActionGroup {
    case tab(TabAction)
    case bell(BellFact)
}

struct Blank: StateValue {}

enum FactSample: ActionGroup {
    case posted
    case answered(Answer<Int>)
    case failed(Problem)
    case answeredLabelled(id: Int, answer: Answer<Done>)
    case maybe(Answer<Int>?)
    case maybeLabelled(id: Int?, problem: Problem?)
    case listed([Problem])
    case sets(Set<Problem>)
    case named([String: Answer<Int>])
    case nested([[String: [Answer<Int>?]]])
    case both(Int, Answer<Int>)
    case boxed(AnswerBox)
    case chosen(AnswerChoice)
    case chosenDeep(id: Int, choices: [AnswerChoice?])
    case generic(Carrier<Answer<Int>>)
    case loaded(Loadable<Int>)
    case clocked([ClockFact])
    case clock(ClockFact)
    case inner(id: Int, InnerFacts)
    case sliced(SliceBox<Problem>)
    case rows(ContiguousArray<Answer<Int>>)
    case deepSlice([String: SliceBox<Set<Problem>?>])
    case changes(CollectionDifference<Problem>)
    case ranged(Range<RankFact>)
    case closed([ClosedRange<RankFact>?])
    case open(Edge<PartialRangeFrom<RankFact>>)
    case through(Edge<PartialRangeThrough<RankFact>>)
    case below(Edge<PartialRangeUpTo<RankFact>>)
}

/// A slice, written as an array: the standard library does not write one by itself.
struct SliceBox<Element: StateValue>: StateValue {
    var slice: ArraySlice<Element>

    init(_ elements: [Element]) { slice = elements[...] }
    init(from decoder: any Decoder) throws { self.init(try [Element](from: decoder)) }
    func encode(to encoder: any Encoder) throws { try Array(slice).encode(to: encoder) }
}

/// A range that has one end, which the standard library does not compare.
struct Edge<Bounds: Codable & RangeExpression & Sendable>: StateValue {
    var bounds: Bounds

    static func == (left: Edge, right: Edge) -> Bool { "\(left.bounds)" == "\(right.bounds)" }
}

enum RankFact: FactGroup, Comparable {
    case low
    case high(Int)
}

enum ClockFact: FactGroup, Hashable {
    case ranOut(player: String)
    case struck(Int)
    case stopped
    case bell(BellFact)
}

enum BellFact: FactGroup, Hashable { case rung }

enum InnerFacts: ActionGroup {
    case renamed(name: String)
    case saved(Answer<Bool>)
    case clock(ClockFact)
}

struct AnswerBox: StateValue {
    var note: String?
    var shade: Shade?
    var answers: [Answer<Int>]
}

indirect enum AnswerChoice: StateValue {
    case plain(Int)
    case again(AnswerChoice)
    case told(note: String, problem: Problem)
}

struct Carrier<Value: StateValue>: StateValue { var value: Value? }

/// Groups beside labelled values.
enum RowsAction: ActionGroup {
    case row(id: String, RowAction)
    case table(RowTable)
    case key(id: Int?, hint: String?, ButtonAction)
    case search(text: String)
}

enum RowTable: ActionGroup { case cell(x: Int, y: Int, CellAction) }

enum CellAction: ActionGroup {
    case row(id: String, RowAction)
    case inside(RowAction)
    case edited(text: String, at: Double)
}

enum RowAction: ActionGroup {
    case renamed(name: String)
    case resized(width: Int, height: Int?)
    case removed
    case rated(Int)
    case noted(String?)
    case moved(Int, Int)
    case tagged(Fruit)
    case gaps(Int?, String?)
    case saved(Answer<Bool>)
}
