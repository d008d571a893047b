/// What the JSON of a type's values looks like.
package indirect enum Shape: Sendable, Equatable {
    /// A member of an object.
    package struct Member: Sendable, Equatable {
        var name: String
        var shape: Shape
        var isRequired: Bool

        /// A member that is there, unless it need not be.
        package init(name: String, shape: Shape, isRequired: Bool = true) {
            (self.name, self.shape, self.isRequired) = (name, shape, isRequired)
        }
    }

    /// Whatever there is: nothing was found out, for this reason.
    case anything(String)
    /// There is no value.
    case nothing
    case boolean, number
    /// The bounds in digits; nil where they have more than 64 bits.
    case integer(least: String, greatest: String)
    case wideInteger
    /// A text of a format of JSON Schema.
    case text(format: String?)
    /// One of these, as JSON.
    case constants([String])
    case list(Shape, isSet: Bool = false)
    /// An array of as many elements.
    case tuple([Shape])
    /// An object whose members are any of these keys.
    case table(keys: Shape, Shape)
    /// Or null.
    case maybe(Shape)
    /// An object that may have other members.
    case object([Member])
    /// Objects that differ in the only member that each has.
    case cases([Member])
    /// Objects, each of them told by the constant in one of its members.
    case tagged([Shape])
    case either([Shape])
    /// A definition.
    case named(String)

    /// The shape of the same values and null.
    var orNull: Shape {
        if case .maybe = self { self } else { .maybe(self) }
    }

    /// The text as a constant.
    package static func constant(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(text)
        return String(decoding: writer.finish(), as: UTF8.self)
    }
}

/// A description of the JSON that an application's clients get and send.
package struct SchemaDocument: Sendable {
    /// The application's place.
    package var title: String
    /// What clients may have of it: `state`, `action`; each with a description.
    package var parts: [(name: String, description: String, shape: Shape)] = []
    package var definitions: [String: Shape] = [:]
    /// The sentences that say what was not found out.
    package var gaps: [String] = []
    /// Actions as clients may send them, as JSON.
    package var examples: [[UInt8]] = []

    /// No parts.
    package init(title: String) { self.title = title }

    // MARK: JSON Schema

    /// The JSON Schema (2020-12): an object whose properties are the parts.
    package var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("$schema", "https://json-schema.org/draft/2020-12/schema")
            writer.member("title", title)
            writer.member("type", "object")
            writer.object("properties") { writer in
                for part in parts {
                    writer.object(part.name) { writer in
                        writer.member("description", part.description)
                        writer.members(of: part.shape)
                        if part.name == "action", !examples.isEmpty {
                            writer.list("examples", examples) { $0.value(json: $1.span) }
                        }
                    }
                }
            }
            writer.object("$defs") { writer in
                for (name, shape) in definitions.sorted(by: { $0.key < $1.key }) {
                    writer.member(name, shape)
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ shape: Shape) {
        object(name) { $0.members(of: shape) }
    }

    private mutating func value(_ shape: Shape) { object { $0.members(of: shape) } }

    /// The members of a schema.
    fileprivate mutating func members(of shape: Shape) {
        switch shape {
        case .anything(let reason): member("$comment", reason)
        case .nothing: member("not", .anything("There is no value."))
        case .boolean: member("type", "boolean")
        case .number: member("type", "number")
        case .wideInteger: member("type", "integer")
        case .integer(let least, let greatest):
            member("type", "integer")
            member("minimum", json: least.utf8Span.span)
            member("maximum", json: greatest.utf8Span.span)
        case .text(let format):
            member("type", "string")
            if let format { member(format == "base64" ? "contentEncoding" : "format", format) }
        case .constants(let list): self.list("enum", list) { $0.value(json: $1.utf8Span.span) }
        case .list(let element, let isSet):
            member("type", "array")
            member("items", element)
            if isSet { member("uniqueItems", true) }
        case .tuple(let elements):
            member("type", "array")
            list("prefixItems", elements) { $0.value($1) }
            member("minItems", elements.count)
            member("maxItems", elements.count)
        case .table(let keys, let element):
            member("type", "object")
            if keys != .text(format: nil) { member("propertyNames", keys) }
            member("additionalProperties", element)
        case .maybe(let shape):
            list("anyOf", [shape]) {
                $0.value($1)
                $0.value(json: #"{"type":"null"}"#.utf8Span.span)
            }
        case .object(let members): object(members)
        case .cases(let members):
            list("oneOf", members) { writer, member in
                writer.object {
                    $0.object([member])
                    $0.member("additionalProperties", false)
                }
            }
        case .tagged(let shapes): list("oneOf", shapes) { $0.value($1) }
        case .either(let shapes): list("anyOf", shapes) { $0.value($1) }
        case .named(let name): member("$ref", "#/$defs/\(name)")
        }
    }

    private mutating func object(_ members: [Shape.Member]) {
        member("type", "object")
        object("properties") { writer in
            for member in members { writer.member(member.name, member.shape) }
        }
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty { list("required", required) }
    }
}
