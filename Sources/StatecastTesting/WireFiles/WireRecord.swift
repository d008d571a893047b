import StateCoding

/// A line of a ``WireFiles``' file: `{"kind":"action","name":"list/added","json":{…}}`.
struct WireRecord: Hashable {
    /// `action`, `fact`, `state` or `view`, in the order of the file.
    let kind: String
    /// The action's type, or the name of the state or view.
    let name: String
    /// The bytes as they go over the wire, or into the log.
    let json: [UInt8]
}

extension WireRecord {
    /// Nil where the line is no record.
    init?(line: Substring) {
        let bytes = Array(line.utf8)
        guard let document = try? JSONValue(parsing: bytes.span),
            let kind = document["kind"]?.string,
            let name = document["name"]?.string, let json = document["json"]?.json
        else { return nil }
        self.init(kind: kind, name: name, json: json)
    }

    /// The line without its end.
    var line: String {
        let bytes = JSONWriter.object { writer in
            writer.member("kind", kind)
            writer.member("name", name)
            writer.member("json", json: json.span)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
