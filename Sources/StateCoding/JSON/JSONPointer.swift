import Bytes

/// A JSON Pointer (RFC 6901): the way from the root of a document to one value, `/home/episodes/3`.
///
/// The empty pointer names the whole document. In a token `~0` stands for `~` and `~1` for `/`.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The reference tokens, unescaped, outermost first.
    public var tokens: [String]

    /// The pointer with these unescaped tokens.
    public init(tokens: [String] = []) {
        self.tokens = tokens
    }

    /// Reads `/a/b~1c`; nil when the text is neither empty nor starts with `/`, or holds a `~`
    /// that neither `0` nor `1` follows.
    public init?(parsing text: some StringProtocol) {
        tokens = []
        guard let first = text.utf8.first else { return }
        guard first == UInt8(ascii: "/") else { return nil }
        var token: [UInt8] = []
        var isBehindTilde = false
        for byte in Array(text.utf8).dropFirst() {
            switch (isBehindTilde, byte) {
            case (true, UInt8(ascii: "0")): token.append(UInt8(ascii: "~"))
            case (true, UInt8(ascii: "1")): token.append(UInt8(ascii: "/"))
            case (true, _): return nil
            case (false, UInt8(ascii: "/")):
                tokens.append(String(decoding: token, as: UTF8.self))
                token.removeAll(keepingCapacity: true)
            case (false, UInt8(ascii: "~")): break
            case (false, _): token.append(byte)
            }
            isBehindTilde = !isBehindTilde && byte == UInt8(ascii: "~")
        }
        guard !isBehindTilde else { return nil }
        tokens.append(String(decoding: token, as: UTF8.self))
    }

    /// The escaped text, `/a/b~1c`; empty for the whole document.
    public var description: String {
        var text = ""
        for token in tokens {
            text += "/"
            for character in token.unicodeScalars {
                switch character {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(character)
                }
            }
        }
        return text
    }

    /// The pointer to a member or element of what this one names.
    public func appending(_ token: String) -> JSONPointer {
        JSONPointer(tokens: tokens + [token])
    }

    /// The place of the value that this pointer names in `document`, an encoded JSON text; nil
    /// when there is none.
    ///
    /// Linear in the document, which is trusted, as by a ``PointerTree``.
    package func range(in document: Span<UInt8>) -> Range<Int>? {
        PointerTree([self]).ranges(in: document)[0]
    }

    /// A token as an array's index (RFC 6901 §4: no sign, no leading zero); nil if it is none, or
    /// greater than any array is long.
    static func index(_ token: String) -> Int? {
        let isCanonical = token == "0" || token.utf8.first != UInt8(ascii: "0")
        guard isCanonical, token.utf8.count <= 15,
            token.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(token)
    }
}

/// Many JSON Pointers that are looked up together: the document is gone through once, however many
/// there are.
///
///     let tree = PointerTree([JSONPointer(parsing: "/a/0"), JSONPointer(parsing: "/b")])
///     tree.ranges(in: #"{"a":[1,2],"b":3}"#)      // [6..<7, 15..<16]
package struct PointerTree: Sendable {
    private struct Node: Sendable {
        /// The pointers that end here, by their place in the list.
        var ends: [Int] = []
        /// The nodes below, by the member's name or the element's index as text.
        var children: [[UInt8]: Int] = [:]
        /// The children whose tokens are indices (RFC 6901 §4: no sign, no leading zero).
        var elements: [Int: Int] = [:]
    }

    private var nodes = [Node()]
    private let count: Int

    /// A tree of these pointers.
    package init(_ pointers: [JSONPointer]) {
        count = pointers.count
        for (index, pointer) in pointers.enumerated() {
            var node = 0
            for token in pointer.tokens { node = child(token, of: node) }
            nodes[node].ends.append(index)
        }
    }

    private mutating func child(_ token: String, of node: Int) -> Int {
        let bytes = Array(token.utf8)
        if let known = nodes[node].children[bytes] { return known }
        nodes.append(Node())
        nodes[node].children[bytes] = nodes.count - 1
        if let index = JSONPointer.index(token) { nodes[node].elements[index] = nodes.count - 1 }
        return nodes.count - 1
    }

    /// The ranges of the values in `document`, an encoded JSON text, in the order of the pointers;
    /// nil where there is none.
    ///
    /// Linear in the document. The document is trusted to be JSON; if it is not, the ranges are nil
    /// or those of what looks like the values, never a trap.
    package func ranges(in document: Span<UInt8>) -> [Range<Int>?] {
        var found = [Range<Int>?](repeating: nil, count: count)
        var scanner = JSONScanner()
        _ = visit(0, &scanner, document, &found, depth: 0)
        return found
    }

    /// Looks below a value, and steps behind it; false where it does not end, or all is found.
    private func visit(
        _ index: Int, _ scanner: inout JSONScanner, _ document: Span<UInt8>,
        _ found: inout [Range<Int>?], depth: Int
    ) -> Bool {
        let first = scanner.next(document)
        let start = scanner.position
        let isContainer = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        if isContainer, !nodes[index].children.isEmpty, depth < Self.maximumDepth {
            guard visitItems(index, &scanner, document, &found, depth) else { return false }
        } else {
            guard scanner.value(document) != nil else { return false }
        }
        for end in nodes[index].ends { found[end] = start..<scanner.position }
        // Behind the only one there is nothing to be found.
        return count != 1 || found[0] == nil
    }

    /// States nest less deeply; beyond it values are stepped over.
    private static let maximumDepth = 512

    private func visitItems(
        _ index: Int, _ scanner: inout JSONScanner, _ document: Span<UInt8>,
        _ found: inout [Range<Int>?], _ depth: Int
    ) -> Bool {
        var items = ItemScanner(scanner, document)
        while let item = items.next(document) {
            var child = nodes[index].elements[items.count - 1]
            if items.isObject {
                let name = document.extracting(item.name)
                child = nodes[index].children[JSONText.bytes(name, isEscaped: item.isEscaped)]
                if let known = child, isFound(known, found) { child = nil }
            }
            let isPassed =
                if let child {
                    visit(child, &items.scanner, document, &found, depth: depth + 1)
                } else {
                    items.scanner.value(document) != nil
                }
            guard isPassed else { return false }
        }
        scanner = items.scanner
        return items.isWhole
    }

    /// Of two members of one name the first counts, as for a single pointer.
    private func isFound(_ node: Int, _ found: [Range<Int>?]) -> Bool {
        nodes[node].ends.first.map { found[$0] != nil } ?? false
    }
}
