import Foundation
import Testing

@testable import MockUpstream

private func basic(_ credentials: String) -> String {
    "Basic " + Data(credentials.utf8).base64EncodedString()
}

@Suite struct RidesAPITests {
    @Test(arguments: ["rosa@example.com", "ROSA@example.com"])
    func `the known account can sign in`(_ email: String) throws {
        var service = Service()
        let authorization = basic("\(email):open-sesame")
        let answer = service.answer("POST", "/login", authorization: authorization)
        #expect(answer.status == 200)
        let object = try answer.object()
        #expect((object["token"] as? String)?.hasPrefix("t-1-") == true)
        #expect((object["user"] as? [String: Any])?["fullName"] as? String == "Rosa Lindqvist")
    }

    @Test(arguments: [
        nil, "", "Basic", "Basic ???", "Bearer x", basic("rosa@example.com:wrong"),
        basic("nobody@example.com:open-sesame"), basic("no colon"), "Basic /w==",
    ])
    func `wrong credentials are 401 and name the scheme`(_ authorization: String?) {
        var service = Service()
        let answer = service.answer("POST", "/login", authorization: authorization)
        #expect(answer.status == 401)
        #expect(answer.fields.contains { $0.name == "WWW-Authenticate" })
    }

    private let form = #"""
        {"fullName":"Kim Adeyemi","nickname":"Kim","email":"kim@example.com",
         "mobileNumber":"+46 70 555 01 02","password":"a:b"}
        """#

    @Test func `who has signed up can sign in`() throws {
        var service = Service()
        let answer = service.answer("POST", "/sign-up", body: form)
        #expect(answer.status == 201)
        let user = try #require(answer.object()["user"] as? [String: Any])
        #expect(
            Set(user.keys) == ["id", "fullName", "nickname", "email", "mobileNumber"])
        let login = service.answer("POST", "/login", authorization: basic("kim@example.com:a:b"))
        #expect(login.status == 200)
        #expect(try login.object()["token"] as? String != answer.object()["token"] as? String)
    }

    @Test func `an address is taken once`() {
        var service = Service()
        #expect(service.answer("POST", "/sign-up", body: form).status == 201)
        let again = form.replacingOccurrences(of: "kim@", with: "KIM@")
        #expect(service.answer("POST", "/sign-up", body: again).status == 409)
    }

    @Test(arguments: [
        ("", 400), ("{}", 400),
        (#"{"fullName":" ","nickname":"a","email":"a@b","mobileNumber":"1","password":"p"}"#, 422),
        (#"{"fullName":"a","nickname":"a","email":"ab","mobileNumber":"1","password":"p"}"#, 422),
    ])
    func `an incomplete sign-up is refused`(_ body: String, _ status: Int) {
        var service = Service()
        #expect(service.answer("POST", "/sign-up", body: body).status == status)
    }

    @Test(arguments: [("", 10), ("rope", 2), ("KITE", 1), ("station square", 1), ("zzz", 0)])
    func `places are found by name and address`(_ query: String, _ count: Int) throws {
        var service = Service()
        #expect(try service.list("/places", ["query": query]).count == count)
    }

    @Test func `the location is a place`() throws {
        var service = Service()
        let place = try #require(service.get("/location") as? [String: Any])
        #expect(Set(place.keys) == ["id", "name", "address", "latitude", "longitude"])
        #expect(place["name"] as? String == "Linden Steps")
    }

    @Test func `three options with pictures for three kinds of screens`() throws {
        var service = Service()
        let place = ["latitude": "59.3251", "longitude": "18.0711"]
        let options = try service.list("/ride-options", place)
        #expect(options.compactMap { $0["id"] as? String } == ["tandem", "pebble", "longboat"])
        var pictures: Set<[UInt8]> = []
        for option in options {
            let paths = try #require(option["pictures"] as? [String: String])
            for (name, width) in [("x1", 120), ("x2", 240), ("x3", 360)] {
                let path = try #require(paths[name])
                let picture = try Picture.bytes(at: path)
                #expect(Picture.isWellFormed(picture), "\(path)")
                #expect(String(decoding: picture, as: UTF8.self).contains("width=\"\(width)\""))
                pictures.insert(picture)
            }
        }
        #expect(pictures.count == 9)
    }

    @Test func `the same place has the same prices, another place others`() throws {
        var service = Service()
        func prices(_ latitude: String) throws -> [Int] {
            try service.list("/ride-options", ["latitude": latitude, "longitude": "18.0"])
                .compactMap { $0["priceCents"] as? Int }
        }
        #expect(try prices("59.3251") == prices("59.3251"))
        #expect(try prices("59.3251") != prices("59.3260"))
    }

    @Test(arguments: [
        [:], ["latitude": "1"], ["latitude": "x", "longitude": "1"],
        ["latitude": "91", "longitude": "1"], ["latitude": "nan", "longitude": "1"],
    ])
    func `options need a place`(_ query: [String: String]) {
        var service = Service()
        #expect(service.answer("GET", "/ride-options", query: query).status == 400)
    }

    @Test func `a ride is ordered`() throws {
        var service = Service()
        let places =
            #""pickup":{"latitude":1,"longitude":2},"dropoff":{"latitude":1.5,"longitude":2}"#
        let answer = service.answer("POST", "/rides", body: #"{"optionID":"pebble",\#(places)}"#)
        #expect(answer.status == 201)
        #expect(answer.delay == .seconds(3))
        #expect(try answer.object()["id"] as? String == "ride-1")
        let unknown = service.answer("POST", "/rides", body: #"{"optionID":"jet",\#(places)}"#)
        #expect(unknown.status == 422)
        #expect(service.answer("POST", "/rides", body: "{}").status == 400)
    }
}
