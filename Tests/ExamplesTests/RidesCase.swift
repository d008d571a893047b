import Rides
import StatecastTesting
import Testing

@Test func `RidesApplication decides version 5 as it did`() throws {
    let recording = try Recording(
        of: ExampleApplications.rides,
        ##"""
        {"application":"/rides","schema":1,"session":"rosa","epoch":"k3f9x2ab41qz","build":"6d93af21c05e","start":"2026-11-26T09:30:00.123Z","version":4,"state":{"running":{"signedIn":{"user":{"fullName":"Rosa Lindqvist","nickname":"Rosa","email":"rosa@a.example","mobileNumber":"1"},"ride":{"requesting":{"pickup":{"latitude":59,"longitude":18.5},"step":{"choosingDropoff":{"query":"","results":[{"id":"lantern-market","name":"Lantern Market","address":"Ropewalk 12","latitude":59,"longitude":18.5},{"id":"pier-9","name":"Pier 9","address":"Ropewalk 12","latitude":59,"longitude":18.5}],"errors":[]}},"progress":{"none":{}},"map":{"pickup":{"latitude":59,"longitude":18.5}},"askWhereTo":false,"errors":[]}},"viewingProfile":false,"profileErrors":[]}}}}
        {"version":5,"at":9800,"origin":"client","by":{"id":"rosa","roles":["act","observe"]},"action":{"type":"dropoff/queryEdited","payload":{"text":"where the \\#(ferries) land, “Pier 9”"}},"patch":[{"op":"replace","path":"/running/signedIn/ride/requesting/step/choosingDropoff/query","value":"where the \\#(ferries) land, “Pier 9”"},{"op":"add","path":"/running/signedIn/ride/requesting/step/choosingDropoff/latestSearch","value":{"query":"where the \\#(ferries) land, “Pier 9”","isTyped":true},"before":"errors"}]}
        """##)
    recording.check()
}
