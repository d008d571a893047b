import Testing
import Threads

@Test func `A build has the id that the linker has given it`() {
    #expect(RunningBuild.id.wholeMatch(of: /[0-9a-f]{16,64}/) != nil, "\(RunningBuild.id)")
}
