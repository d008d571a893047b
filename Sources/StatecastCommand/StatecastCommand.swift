import ArgumentParser

/// The command `statecast`.
@main
struct StatecastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statecast",
        abstract: "Redux on the server, thin clients everywhere.",
        subcommands: [
            Serve.self, Limits.self, JournalCommand.self, SchemaCommand.self, TypesCommand.self,
        ], defaultSubcommand: Serve.self)
}
