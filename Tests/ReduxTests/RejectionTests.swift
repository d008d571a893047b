import Testing

@testable import Redux

@Suite struct `A rejection` {
    @Test func `has one of three kinds`() {
        let kinds: [Rejection.Kind] = [.invalid, .conflict, .forbidden]
        #expect(kinds.map(\.rawValue) == ["invalid", "conflict", "forbidden"])
    }

    @Test func `of the library is told apart from one of an application with its code`() {
        let ofLibrary: [Rejection] = [.tooManyActions, .chainCut, .tooManyEffects]
        for rejection in ofLibrary {
            let own = Rejection(rejection.code, rejection.message, kind: rejection.kind)
            #expect(rejection.isOfLibrary)
            #expect(rejection.kind == .conflict)
            #expect(!own.isOfLibrary)
            #expect(own != rejection)
        }
        #expect(ofLibrary.map(\.code) == ["too-many-queued", "chain-cut", "too-many-effects"])
    }

    @Test func `that a reducer gets from a step or a list is one of the application`() {
        let rejections: [Rejection] = [.notSignedIn, .outOfScope]
        #expect(rejections.map(\.code) == ["not-signed-in", "out-of-scope"])
        #expect(rejections.map(\.kind) == [.forbidden, .conflict])
        #expect(rejections.allSatisfy { !$0.isOfLibrary })
    }
}

@Suite struct `A number from outside` {
    private func result(
        of number: Int8, _ change: (inout Int8) throws(Rejection) -> Void
    ) -> Int8? {
        var number = number
        do throws(Rejection) {
            try change(&number)
            return number
        } catch {
            #expect(error.code == "out-of-range" && error.field == "by")
            #expect(error.kind == .invalid && !error.isOfLibrary)
            return nil
        }
    }

    @Test func `is added and subtracted where an integer holds the result, and nowhere else`() {
        for left in Int8.min ... .max {
            for right in Int8.min ... .max {
                let sum = result(of: left) { number throws(Rejection) in
                    try number.add(right, field: "by")
                }
                #expect(sum == Int8(exactly: Int(left) + Int(right)))
                let difference = result(of: left) { number throws(Rejection) in
                    try number.subtract(right, field: "by")
                }
                #expect(difference == Int8(exactly: Int(left) - Int(right)))
            }
        }
    }
}

@Suite struct `A check of several faults` {
    private let empty = Rejection("empty", "Say a name.", field: "name")
    private let negative = Rejection("negative", "Not below zero.", field: "price")
    private let late = Rejection("late", "It is over.", kind: .conflict)

    private func rejection(
        of first: Rejection?, _ second: Rejection? = nil, _ third: Rejection? = nil
    ) -> Rejection? {
        do throws(Rejection) {
            try Rejection.check(first, second, third)
            return nil
        } catch {
            return error
        }
    }

    @Test func `passes where there is none`() {
        #expect(rejection(of: nil) == nil)
        #expect(rejection(of: nil, nil, nil) == nil)
    }

    @Test func `throws the only one as it is, wherever it stands`() {
        #expect(rejection(of: negative) == negative)
        #expect(rejection(of: nil, negative) == negative)
        #expect(rejection(of: nil, late, nil) == late)
    }

    @Test func `throws the first, with all others beside it`() {
        let rejection = rejection(of: late, empty, negative)
        #expect(rejection?.code == "late")
        #expect(rejection?.kind == .conflict)
        #expect(rejection?.field == nil)
        #expect(rejection?.faults.map(\.code) == ["late", "empty", "negative"])
        #expect(rejection?.faults.map(\.field) == [nil, "name", "price"])
        #expect(rejection?.others == empty.faults + negative.faults)
    }

    @Test func `keeps the faults of a check within it`() throws {
        let inner = try #require(rejection(of: empty, negative))
        #expect(rejection(of: late, inner)?.faults == [late, empty, negative].flatMap(\.faults))
        #expect(rejection(of: inner, late)?.faults == [empty, negative, late].flatMap(\.faults))
    }

    @Test func `changes no state`() {
        let (empty, late) = (empty, late)
        let store = Store<Int, Int>(
            initial: 0,
            reducer: { (state, number, _) throws(Rejection) in
                state = number
                try Rejection.check(number < 0 ? empty : nil, number < 10 ? late : nil)
            },
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        #expect(store.dispatch(10) == .accepted(first: 1, last: 1, changed: true))
        guard case .rejected(let rejection) = store.dispatch(-1) else {
            Issue.record("Two faults were passed over.")
            return
        }
        #expect(rejection.faults.map(\.code) == ["empty", "late"])
        #expect(store.state == 10)
    }
}
