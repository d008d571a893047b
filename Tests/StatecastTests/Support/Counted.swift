/// A sequence that counts how often it is asked for a value: who asks again has dealt with the one
/// before.
struct Counted<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    let base: Base
    let asked = Count()

    init(_ base: Base) {
        self.base = base
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), asked: asked)
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let asked: Count

        mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(Base.Failure) -> Base.Element? {
            asked.add()
            return try await base.next(isolation: actor)
        }
    }
}
