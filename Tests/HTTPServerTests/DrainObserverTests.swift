import Testing

@testable import HTTPServer

@Suite struct `Who waits for a drain` {
    @Test func `is told that all loops are empty`() async {
        let observer = DrainObserver(loopCount: 2)
        observer.loopIsEmpty()
        observer.loopIsEmpty()
        #expect(await observer.wait())
    }

    @Test func `is told that it was given up`() async {
        let observer = DrainObserver(loopCount: 2)
        observer.loopIsEmpty()
        observer.giveUp()
        #expect(await observer.wait() == false)
    }

    @Test func `is told so while waiting, too, by whatever comes first`() async {
        let observer = DrainObserver(loopCount: 1)
        async let isEmpty = observer.wait()
        observer.giveUp()
        #expect(await isEmpty == false)
        observer.loopIsEmpty()
    }
}
