import CounterModel
import StatecastTesting
import Testing

@Test func `CounterApplication decides version 2 as it did`() throws {
    let recording = try Recording(
        of: CounterApplication(),
        ##"""
        {"application":"/counter","schema":1,"session":"demo","epoch":"k3","build":"6d93af21c05e","start":"2026-11-26T09:30:00.000Z","version":1,"state":{"count":2}}
        {"version":2,"at":2000,"origin":"client","by":{"id":"a\\#(b)"},"action":{"type":"incremented","payload":{"by":8}},"patch":[{"op":"replace","path":"/count","value":10}]}
        """##)
    recording.check()
}
