import Redux
import StateCoding
import Testing

/// Samples of the wire that no later version may change.
struct GoldenWireTests {
    static let actions: [(GoldenAction, String)] = [
        (.plain, #"{"type":"plain"}"#),
        (.one("a"), #"{"type":"one","payload":"a"}"#),
        (.one(nil), #"{"type":"one","payload":null}"#),
        (.labelled(by: 2), #"{"type":"labelled","payload":{"by":2}}"#),
        (.several(id: "7", at: 0.5), #"{"type":"several","payload":{"id":"7","at":0.5}}"#),
        (.several(id: "7", at: nil), #"{"type":"several","payload":{"id":"7"}}"#),
        (.list(1, "b"), #"{"type":"list","payload":[1,"b"]}"#),
        (.list(1, nil), #"{"type":"list","payload":[1,null]}"#),
        (.group(.none), #"{"type":"group/none"}"#),
        (.group(.one(true)), #"{"type":"group/one","payload":true}"#),
        (.group(.labelled(name: "n")), #"{"type":"group/labelled","payload":{"name":"n"}}"#),
        (.group(.list(1, 2)), #"{"type":"group/list","payload":[1,2]}"#),
        (.beside(id: 7, .none), #"{"type":"beside/none","payload":{"id":7}}"#),
        (.beside(id: 7, .one(true)), #"{"type":"beside/one","payload":{"id":7,"one":true}}"#),
        (
            .beside(id: 7, .labelled(name: "n")),
            #"{"type":"beside/labelled","payload":{"id":7,"name":"n"}}"#
        ),
        (.beside(id: 7, .list(1, 2)), #"{"type":"beside/list","payload":{"id":7,"list":[1,2]}}"#),
    ]

    static let facts: [(GoldenAction, String)] = [
        (.told(.value("x")), #"{"type":"told","payload":{"value":"x"}}"#),
        (.told(.value(nil)), #"{"type":"told","payload":{"value":null}}"#),
        (
            .told(.problem(.failed)),
            #"{"type":"told","payload":{"problem":{"code":"failed","message":"It did not work."}}}"#
        ),
        (
            .posted(id: "7", answer: .value(Done())),
            #"{"type":"posted","payload":{"id":"7","answer":{"value":{}}}}"#
        ),
        (.loaded(.idle), #"{"type":"loaded","payload":{"status":"idle"}}"#),
        (.loaded(.loading(nil)), #"{"type":"loaded","payload":{"status":"loading"}}"#),
        (.loaded(.loading(1)), #"{"type":"loaded","payload":{"status":"loading","value":1}}"#),
        (.loaded(.loaded(1)), #"{"type":"loaded","payload":{"status":"loaded","value":1}}"#),
        (
            .loaded(.failed(.timedOut, nil)),
            #"{"type":"loaded","payload":{"status":"failed","problem":{"code":"timed-out","message":"It took too long."}}}"#
        ),
        (
            .loaded(.failed(.timedOut, 1)),
            #"{"type":"loaded","payload":{"status":"failed","value":1,"problem":{"code":"timed-out","message":"It took too long."}}}"#
        ),
    ]

    @Test(arguments: actions)
    func `an action is written as it always was`(action: GoldenAction, json: String) throws {
        let coder = try ActionCoder<GoldenAction>()
        #expect(try coder.encoded(action) == json)
        #expect(try coder.decode(text: json).action == action)
        #expect(try coder.decodeLogged(text: json) == action)
    }

    @Test(arguments: facts)
    func `a fact is written as it always was`(fact: GoldenAction, json: String) throws {
        let coder = try ActionCoder<GoldenAction>()
        #expect(try coder.encoded(fact) == json)
        #expect(try coder.decodeLogged(text: json) == fact)
        #expect(throws: ActionFailure.self) { try coder.decode(text: json) }
    }
}

enum GoldenAction: ActionGroup {
    case plain
    case one(String?)
    case labelled(by: Int)
    case several(id: String, at: Double?)
    case list(Int, String?)
    case group(GoldenGroup)
    case beside(id: Int, GoldenGroup)
    case told(Answer<String?>)
    case posted(id: String, answer: Answer<Done>)
    case loaded(Loadable<Int>)
}

enum GoldenGroup: ActionGroup {
    case none
    case one(Bool)
    case labelled(name: String)
    case list(Int, Int)
}
