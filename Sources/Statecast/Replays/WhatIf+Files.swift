import FoundationEssentials
import HTTPServer
import Sessions

/// Recordings in files.
package enum RecordingFiles {
    /// The files at some places: of a folder those whose names end with `.ndjson`, in the order of their names.
    package static func all(at places: [String]) throws -> [String] {
        try places.flatMap { place in
            var isFolder = false
            guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder), isFolder
            else { return [place] }
            return try FileManager.default.contentsOfDirectory(atPath: place).sorted()
                .filter { $0.hasSuffix(".ndjson") }.map { "\(place)/\($0)" }
        }
    }
}

extension Server {
    /// Reduces recordings of an application again, by this build: a line for each of them, and of one that
    /// comes to something else what that is, with a test that shows it.
    ///
    /// - Parameters:
    ///   - path: the application's; it may be left out where the server has one application.
    ///   - places: files and folders.
    ///   - expression: makes the application in the test; nil: by its name.
    /// - Returns: also the exit status: 0 all did what they did, 1 one did not, 65 one is no recording of
    ///   the application, 66 one cannot be read.
    package func whatIf(
        _ path: String, _ places: [String], by expression: String? = nil
    ) throws(ServerError) -> (text: String, status: Int32) {
        let mount = try mount(at: path)
        var (lines, status): ([String], Int32) = ([], 0)
        do {
            for file in try RecordingFiles.all(at: places) {
                let text = try [UInt8](Data(contentsOf: URL(filePath: file)))
                let (line, end) = Self.whatIf(text, of: mount, by: expression)
                lines.append("\(file): \(line)")
                status = max(status, end)
            }
        } catch {
            return ((lines + ["A file cannot be read: \(error)"]).joined(separator: "\n"), 66)
        }
        guard !lines.isEmpty else { return ("There is no recording.", 66) }
        return (lines.joined(separator: "\n"), status)
    }

    private static func whatIf(
        _ text: [UInt8], of mount: any MountedApplication, by expression: String?
    ) -> (line: String, status: Int32) {
        do throws(RecordingFault) {
            var reader = try RecordingReader(text, entryLimit: .max, stateByteLimit: .max)
            do throws(ProblemDetails) {
                try mount.admit(reader.recording, isReduced: true)
            } catch {
                return (error.detail ?? error.code, 65)
            }
            let recording = try reader.read()
            let (difference, uncompared) = try mount.firstDifference(in: recording, by: expression)
            if let difference { return ("\(difference)\n\n\(difference.test)", 1) }
            let rest =
                uncompared.isEmpty
                ? ""
                : ", but for \(uncompared.count) that read secrets, which cannot be compared"
                    + " (\(uncompared.prefix(20).map { "\($0)" }.joined(separator: ", ")))"
            return ("all \(recording.entries.count) entries come to the same\(rest)", 0)
        } catch {
            let place = error.pointer.isEmpty ? "" : ", at \(error.pointer)"
            return ("line \(error.line)\(place): \(error.detail)", 65)
        }
    }
}
