import Foundation
import TemporaryFolder

/// The compiler that built the tests, asked about texts that stand in a package of their own: they
/// see what is public, and nothing else.
enum SwiftCompiler {
    /// The errors in files, by their names: `error: text`, with the notes that explain it.
    ///
    /// - Parameter isThorough: looks also for values that leave their isolation, for which all files
    ///   have to be free of other errors.
    static func errors(
        in files: [String: String], isThorough: Bool = false
    ) throws -> [String: [String]] {
        let folder = TemporaryFolder()
        for (name, text) in files { try folder.write("\(name).swift", text) }
        let paths = files.keys.sorted().map { "\(folder.path)/\($0).swift" }
        let output = try run(
            (isThorough ? ["-emit-sil", "-o", "/dev/null"] : ["-typecheck"])
                + ["-wmo", "-parse-as-library", "-swift-version", "6", "-diagnostic-style", "llvm"]
                + modules + paths)
        var errors: [String: [String]] = [:]
        var file = ""
        for line in output.split(separator: "\n") {
            guard let range = line.firstRange(of: "error: ") ?? line.firstRange(of: "note: ")
            else { continue }
            if line[range].hasPrefix("error") {
                file =
                    URL(filePath: String(line.prefix { $0 != ":" }))
                    .deletingPathExtension().lastPathComponent
            }
            errors[file, default: []].append(String(line[range.lowerBound...]))
        }
        return errors
    }

    private static var modules: [String] {
        let products = Products.directory.path
        return ["-I", "\(products)/Modules"]
            + ["CLinux", "CZlib", "CCurl", "CPages"].flatMap {
                ["-Xcc", "-fmodule-map-file=\(products)/\($0).build/module.modulemap"]
            }
    }

    private static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swiftc"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
