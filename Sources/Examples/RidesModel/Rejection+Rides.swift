import Redux

extension Rejection {
    static func outOfOrder(_ code: String, _ message: String) -> Rejection {
        Rejection(code, message, kind: .conflict)
    }

    static var errorOpen: Rejection {
        outOfOrder("error-open", "An error waits to be acknowledged.")
    }

    static var nobodyIsSignedIn: Rejection { outOfOrder("not-signed-in", "Nobody is signed in.") }

    static var nothingToRetry: Rejection {
        outOfOrder("nothing-to-retry", "Nothing failed that could be tried again.")
    }

    static var wrongStep: Rejection {
        outOfOrder("wrong-step", "The ride is not at the step where that can be done.")
    }
}
