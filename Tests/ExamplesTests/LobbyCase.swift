import Cards
import StatecastTesting
import Testing

@Test func `LobbyApplication decides version 3 as it did`() throws {
    let recording = try Recording(
        of: LobbyApplication(),
        #"""
        {"application":"/cards/lobby","schema":1,"session":"lobby","epoch":"k3f9x2ab41qz","build":"6d93af21c05e","start":"2026-11-26T09:30:00.123Z","version":2,"state":{"tables":[{"opening":{"id":"djd5wb58g5amj5vrm2mwgkg77a","rules":{"name":"Friday","seats":2,"turnSeconds":30},"opener":"Alice#054a0306","openedBy":"Alice"},"summary":{"players":[],"phase":"waiting"},"closes":{"milliseconds":1795686001823}}],"opening":[],"closing":[]}}
        {"version":3,"at":60000,"origin":"client","by":{"id":"Alice#054a0306"},"seed":"a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7","action":{"type":"opened","payload":{"name":"Sunday","seats":3}},"patch":[{"op":"add","path":"/opening/0","value":{"id":"2wmx5wx8zqa4pm91rr1wz044rk","rules":{"name":"Sunday","seats":3,"turnSeconds":30},"opener":"Alice#054a0306","openedBy":"Alice"}}]}
        """#)
    recording.check()
}
