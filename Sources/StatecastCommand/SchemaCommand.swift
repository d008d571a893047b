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

extension Server {
    fileprivate static func demos() throws -> Server {
        let options = try Serve.parse(["--public", "."])
        return try DemoService(options: options, logger: Logger(label: "statecast")).makeServer()
    }
}
