import Bytes

/// Finds the lines of a recording, one after the other.
struct RecordingLines {
    /// The number of the line that was found last, from 1.
    private var number = 0
    private var position = 0

    /// The next line that is not blank.
    ///
    /// - Parameter text: the same each time.
    mutating func next(_ text: Span<UInt8>) -> [UInt8]? {
        while position < text.count {
            let start = position
            while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
            let line = text.extracting(start..<position)
            position += 1
            number += 1
            if line.indices.contains(where: { !Self.isBlank(line[$0]) }) {
                return [UInt8](copying: line)
            }
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    /// A fault of the line that was found last.
    func fault(_ detail: String, at pointer: String = "") -> RecordingFault {
        RecordingFault(line: max(1, number), pointer: pointer, detail)
    }
}
