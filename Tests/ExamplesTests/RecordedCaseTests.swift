import Bytes
import Cards
import Foundation
import Journaling
import Sessions
import StateCoding
@testable import Statecast
import StatecastTesting
import Testing

/// What is told as a test is `…Case.swift` beside this file: it compiles, and passes, for the difference
/// comes of a limit that a test does not have.
@Suite struct `A difference in a recording of an example` {
    private let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private func expectCase<App: Application>(
        of name: String, in path: String = "Rides", _ application: App,
        writtenAs expression: String? = nil
    ) throws {
        let text = try Data(contentsOf: folder.appending(path: "Recordings/\(path)/\(name).ndjson"))
        var reader = try RecordingReader(Array(text), entryLimit: .max, stateByteLimit: .max)
        let recording = try reader.read()
        var whatIf = try WhatIf(
            recording, of: application, .init(), ActionCoder(),
            stateByteLimit: recording.end.count - 1)
        let told = try whatIf.firstDifference(by: expression).difference
        #expect(told?.versions.upperBound == recording.entries.last?.version)
        let file = try String(
            contentsOf: folder.appending(path: "\(name)Case.swift"), encoding: .utf8)
        #expect(told?.test == file, "\(told?.test ?? "")")
    }

    @Test func `is told as a test: a person's action, in enums of enums`() throws {
        try expectCase(
            of: "Rides", ExampleApplications.rides, writtenAs: "ExampleApplications.rides")
    }

    @Test func `is told as a test: an error with an id, beside a secret`() throws {
        try expectCase(
            of: "RidesError", ExampleApplications.rides, writtenAs: "ExampleApplications.rides")
    }

    @Test func `is told as a test: times, and what was drawn`() throws {
        try expectCase(of: "Lobby", in: "Cards", LobbyApplication())
    }

    @Test func `is none where no limit stands in the way`() throws {
        try Recording.checkAll(in: "Recordings/Rides", of: ExampleApplications.rides)
        try Recording.checkAll(in: "Recordings/Cards", of: LobbyApplication())
    }
}
