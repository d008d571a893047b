import ArgumentParser
import Logging
import Statecast

/// Prints what clients get of a demo application, and send, as JSON Schema.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Prints the JSON Schema of a demo application.")

    @Argument(help: "The application's path: /counter, /cards/tables.")
    var application: String

    func run() throws { print(try Server.demos().schema(of: application)) }
}

/// Prints the same as types for TypeScript.
struct TypesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "types", abstract: "Prints the TypeScript types of a demo application.")

    @Argument(help: "The application's path: /counter, /cards/tables.")
    var application: String

    func run() throws { print(try Server.demos().types(of: application), terminator: "") }
}

/// Reduces recordings again, by this build.
struct WhatIfCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "what-if",
        abstract: "Reduces recordings of a demo application again, and tells what differs.",
        discussion: """
            Exit status: 0 all came to the same, 1 one did not, 65 one is no recording of the application, 66 \
            one cannot be read. Of what differs both patches are shown, and a Swift Testing case.
            """)

    @Argument(help: "The application's path: /counter, /cards/tables.")
    var application: String

    @Argument(help: "Files, and folders of .ndjson files.", completion: .file())
    var files: [String]

    @Option(help: "Makes the application in the test, in Swift.")
    var writtenAs: String?

    func run() throws {
        let (text, status) = try Server.demos().whatIf(application, files, by: writtenAs)
        print(text)
        if status != 0 { throw ExitCode(status) }
    }
}

extension Server {
    fileprivate static func demos() throws -> Server {
        let options = try Serve.parse(["--public", "."])
        return try DemoService(options: options, logger: Logger(label: "statecast")).makeServer()
    }
}
