import Rides
import StatecastTesting
import Testing

@Test func `RidesApplication decides version 4 as it did`() throws {
    let recording = try Recording(
        of: ExampleApplications.rides,
        #"""
        {"application":"/rides","schema":1,"session":"rosa","epoch":"k3f9x2ab41qz","build":"6d93af21c05e","start":"2026-11-26T09:30:00.123Z","version":3,"state":{"running":{"onboarding":{"signingIn":{"inputsEnabled":false,"busy":true,"submission":{"email":"rosa@a.example","password":"<redacted>"},"errors":[],"forgetting":false}}}}}
        {"version":4,"at":9950,"origin":"effect","cause":3,"action":{"type":"signIn/answered","payload":{"problem":{"code":"refused","message":"The e-mail address or the password is wrong. \"Try again.\""}}},"patch":[{"op":"replace","path":"/running/onboarding/signingIn","value":{"inputsEnabled":false,"busy":false,"errors":[{"id":"k3f9x2ab41qz-4","title":"Not signed in","message":"The e-mail address or the password is wrong. \"Try again.\""}],"forgetting":false}}]}
        """#)
    recording.check()
}
