import Redux
import Testing

struct PrincipalTests {
    @Test func `principals are told apart by id and roles`() {
        let alice = Principal("alice", roles: ["admin", "member"])
        #expect(alice == Principal("alice", roles: ["member", "admin"]))
        #expect(alice != Principal("alice"))
        #expect(alice != Principal("bob", roles: ["admin", "member"]))
        #expect(Set([alice, Principal("alice", roles: ["member", "admin"])]).count == 1)
        #expect(alice.id == "alice")
        #expect(alice.roles == ["admin", "member"])
    }

    @Test func `without a name it is nobody that is known`() {
        #expect(Principal.anonymous == Principal(""))
        #expect(Principal.anonymous.isAnonymous)
        // No comparison with a name lets it in, whatever a state holds in place of one.
        #expect(Principal.anonymous.id == nil && Viewer(.anonymous).id != "")
        #expect(Principal.anonymous.roles.isEmpty)
        let guest = Principal("", roles: ["guest"])
        #expect(guest.isAnonymous)
        #expect(guest.roles == ["guest"])
        #expect(guest != .anonymous)
    }
}
