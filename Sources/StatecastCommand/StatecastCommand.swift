import ArgumentParser
import RemoteControl

/// The command `statecast`.
@main
struct StatecastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statecast",
        abstract: "Redux on the server, thin clients everywhere.",
        subcommands: [
            Serve.self, Limits.self, JournalCommand.self, ClusterCommand.self, SchemaCommand.self,
            TypesCommand.self, WhatIfCommand.self, CompletionCommand.self,
        ],
        groupedSubcommands: [
            CommandGroup(name: "Remote control", subcommands: RemoteCommands.all)
        ], defaultSubcommand: Serve.self)
}

/// Prints what has a shell complete the commands and their options.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Prints the completion script of a shell.",
        discussion: """
            bash: source <(statecast completion bash)
            zsh: statecast completion zsh > a file _statecast in a folder of $fpath
            fish: statecast completion fish > ~/.config/fish/completions/statecast.fish
            """)

    @Argument(
        help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]),
        transform: { name in
            if let shell = CompletionShell(rawValue: name) { return shell }
            throw ValidationError("The shells are bash, zsh and fish.")
        })
    var shell: CompletionShell

    func run() { print(StatecastCommand.completionScript(for: shell)) }
}
