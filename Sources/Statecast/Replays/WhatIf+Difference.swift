import Journaling
import Redux
package import Sessions
import StateCoding

/// The first entry of a recording that this build decides otherwise than it was recorded.
package struct RecordingDifference: Sendable, CustomStringConvertible {
    /// More than one where they were decided together.
    package let versions: ClosedRange<UInt64>
    /// The place in the state of what differs first, or in the entry of what cannot be read; a JSON Pointer.
    package let pointer: String
    /// What was recorded, and what this build does: a sentence, and indented lines.
    package let description: String
    /// A Swift Testing case that fails as long as the difference is there.
    package let test: String
}

extension WhatIf {
    /// Reduces until something differs.
    ///
    /// What comes of an action that reads a secret, which recordings leave out, may be another: then it is not
    /// compared. The state that was recorded is gone on from, for what was made of the secret is none, either.
    ///
    /// - Parameter expression: makes the application, in Swift; nil: by its name.
    /// - Returns: also the versions that were not compared.
    package mutating func firstDifference(
        by expression: String? = nil
    ) throws(RecordingFault) -> (difference: RecordingDifference?, uncompared: [UInt64]) {
        var uncompared: [UInt64] = []
        while let outcome = try next() {
            let entries = outcome.entries
            let isRefusedAlike = entries.allSatisfy {
                $0.readHead["rejection"]?["code"]?.string
                    == (outcome.refusal?.version == $0.version ? outcome.refusal?.code : nil)
            }
            let isSame = isRefusedAlike && outcome.patch == entries.last?.patch
            if isSame, !outcome.readsSecrets { continue }
            let recorded: App.State
            do throws(RecordingFault) {
                recorded = try readRecorded()
            } catch {
                throw RecordingFault(
                    line: recording.lines[count - 1], pointer: error.pointer, detail: error.detail)
            }
            if !isSame {
                if isRefusedAlike, recorded == state { continue }
                // Of a secret that wraps no text there is no value to go on with.
                let isUnreadable = outcome.refusal?.pointer != nil
                guard
                    outcome.readsSecrets
                        || isUnreadable && entries.contains(where: { Self.isRedacted($0.head) })
                else { return (difference(outcome, recorded, by: expression), uncompared) }
                uncompared += entries.map(\.version)
            }
            resume(recorded)
        }
        return (nil, uncompared)
    }

    private static func isRedacted(_ json: [UInt8]) -> Bool {
        String(decoding: json, as: UTF8.self).contains("\"\(Secret<Never>.redacted)\"")
    }

    private func difference(
        _ outcome: Outcome, _ recorded: App.State, by expression: String?
    ) -> RecordingDifference {
        let entries = outcome.entries
        let (first, last) = (entries.first?.version ?? 0, entries.last?.version ?? 0)
        // Both as this build writes them, so that nothing but what differs is shown.
        let former = outcome.former
        let then = (try? StateEncoder().form(of: recorded, after: former)) ?? former
        let change = then.change(from: former).patch?.operations
        let way = JSONPatch.difference(from: then.bytes().span, to: form.bytes().span)
        let pointer = outcome.refusal?.pointer ?? way.flatMap(Self.pointer) ?? ""
        let name =
            first == last
            ? "The entry of version \(last)" : "What versions \(first) to \(last) did together"
        let fate =
            switch outcome.refusal {
            case let refusal? where refusal.pointer != nil:
                "cannot be read any more, at \(pointer): \(refusal.detail)"
            case let refusal?:
                "is refused now: \"\(refusal.code)\" in version \(refusal.version): \(refusal.detail)"
            case nil:
                "comes to another state than it did, at \(pointer.isEmpty ? "its root" : pointer)"
            }
        var lines = entries.map { "action:     \(Self.short($0.readHead["action"]?.json))" }
        lines.append("recorded:   \(Self.short(entries.last?.patch))")
        lines.append("this build: \(Self.short(outcome.patch))")
        if outcome.refusal == nil {
            lines += StateDiff.lines(recorded, state, hiding: options.hiding)
        }
        return RecordingDifference(
            versions: first...last, pointer: pointer,
            description: "\(name) \(fate)" + lines.map { "\n    \($0)" }.joined(),
            test: test(of: entries, behind: former, to: change, by: expression))
    }

    private static func pointer(of patch: JSONPatch) -> String? {
        let list = try? JSONValue(written: patch.operations.span)
        return list?.elements?.first?["path"]?.string
    }

    private static func short(_ json: [UInt8]?) -> String {
        guard let json else { return "nothing" }
        let limit = 2_000
        return String(decoding: json.prefix(limit), as: UTF8.self)
            + (json.count > limit ? "…" : "")
    }

    /// A recording of these entries alone, in a test.
    ///
    /// - Parameter patch: what they did to the state before them, as this build writes that.
    private func test(
        of entries: ArraySlice<EncodedEntry>, behind former: EncodedForm, to patch: [UInt8]?,
        by expression: String?
    ) -> String {
        let first = entries.first?.version ?? 1
        var bytes = ReplayedRecording.header(
            of: recording.application,
            schema: SessionOptions<App.State, App.Action>().schema.version,
            session: recording.session,
            epoch: recording.epoch(at: first), build: recording.build,
            start: recording.start.iso8601, version: first - 1, state: former.bytes())
        for var entry in entries {
            if entry.version == entries.last?.version { entry.patch = patch }
            entry.append(to: &bytes, since: recording.start, withPatch: true)
            bytes.append(UInt8(ascii: "\n"))
        }
        let text = String(decoding: bytes.dropLast(), as: UTF8.self)
        // A text of JSON has no three quotation marks in a row.
        var sign = "#"
        while text.contains("\\\(sign)") { sign += "#" }
        let lines = text.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
        let name = String(reflecting: App.self)
        let module = name.prefix { $0 != "." }
        let type = name.dropFirst(module.count + 1)
        return """
            import \(module)
            import StatecastTesting
            import Testing

            @Test func `\(App.self) decides version \(first) as it did`() throws {
                let recording = try Recording(
                    of: \(expression ?? "\(type)()"),
                    \(sign)\"""
            \(lines)
                    \"""\(sign))
                recording.check()
            }

            """
    }
}
