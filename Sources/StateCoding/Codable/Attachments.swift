import Bytes

/// Values that are put into a document later than those behind them.
extension DocumentEncoder {
    /// An encoder for a value that will be put into this one's bytes at the present end.
    ///
    /// What is put in later can be in no collection that is kept by itself: then the document is
    /// encoded plainly.
    func attach() -> DocumentEncoder {
        guard expected == nil else {
            isInterleaved = true
            return self
        }
        let document = makeInner()
        attachments.append((written, document))
        writer.bytes.append(Self.attachment)
        return document
    }

    /// An encoder for a value inside the present one, with bytes of its own.
    func makeInner() -> DocumentEncoder {
        let document = DocumentEncoder(
            types: types, maximumDepth: maximumDepth, nesting: nesting, defersNested: defersNested)
        document.valueDepth = valueDepth
        document.secrets = secrets
        return document
    }

    /// Puts the values in that were written by encoders of their own, whose collections and secrets
    /// come among those of the document.
    func applyAttachments() throws {
        guard !attachments.isEmpty else { return }
        let bytes = writer.bytes
        var result: [UInt8] = []
        var all: [FormNode] = []
        var (copied, hole) = (0, 0)
        for (offset, document) in attachments {
            precondition(bytes[offset] == Self.attachment, "A placeholder stands for a value.")
            result.append(copying: bytes.span.extracting(copied..<offset))
            result += try document.finish()
            let count = holes.isEmpty ? 0 : bytes.placeholderCount(in: copied..<offset)
            all += holes[hole..<hole + count] + document.holes
            (copied, hole) = (offset + 1, hole + count)
        }
        attachments = []
        holes = all + holes[hole...]
        result.append(copying: bytes.span.extracting(copied...))
        writer.bytes = result
    }
}
