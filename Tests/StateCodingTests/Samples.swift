import StateCoding

enum Shade: String, Codable, CodingKeyRepresentable, CaseIterable { case red, blue }

struct Pair: Codable, Hashable, Sendable { var a: Int }

indirect enum Fruit: Codable, Equatable, Sendable {
    case apple
    case pear(Int)
    case fig(String?)
    case plum(weight: Int, ripe: Bool?)
    case mix(Int, String)
    case gaps(Int?, String?)
    case bowl([Fruit])
    case inside(Fruit)
    case lists([[Int]], [Int])
    case pick(Shade)
}

enum Mixed: Codable, Sendable { case one(Int, b: Int) }

/// An enum nested `depth` objects deep.
indirect enum Chain: Codable, Equatable, Sendable {
    case end
    case next(Chain)

    init(_ depth: Int) {
        self = (2..<max(depth, 2)).reduce(.end) { chain, _ in .next(chain) }
    }
}

/// Arrays nested `depth` deep.
struct Nest: Codable, Equatable, Sendable {
    var inner: [Nest]

    init(_ depth: Int) {
        inner = depth <= 1 ? [] : [Nest(depth - 1)]
    }

    init(from decoder: any Decoder) throws {
        inner = try decoder.singleValueContainer().decode([Nest].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(inner)
    }
}

enum SampleKey: String, CodingKey { case a, b, x, y, z }

class Base: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SampleKey.self)
        try container.encode(1, forKey: .a)
    }
}

final class Derived: Base {
    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: SampleKey.self)
        try container.encode(2, forKey: .b)
        try super.encode(to: container.superEncoder())
        try container.encode(9, forKey: .z)
    }
}

struct Interleaved: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SampleKey.self)
        var first = container.nestedContainer(keyedBy: SampleKey.self, forKey: .x)
        var second = container.nestedContainer(keyedBy: SampleKey.self, forKey: .y)
        try first.encode(1, forKey: .x)
        try second.encode(2, forKey: .y)
        try first.encode(3, forKey: .z)
        var list = second.nestedUnkeyedContainer(forKey: .z)
        try container.encode("k", forKey: .z)
        try list.encode(1)
        try list.encode(2)
    }
}

struct LateSuper: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SampleKey.self)
        let late = container.superEncoder()
        try container.encode(2, forKey: .y)
        var inside = late.container(keyedBy: SampleKey.self)
        try inside.encode(1, forKey: .x)
    }
}

struct Empty: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {}
}

struct HandArray: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(1)
        try container.encode("a")
        try container.encodeNil()
        var object = container.nestedContainer(keyedBy: SampleKey.self)
        try object.encode(true, forKey: .x)
        var list = container.nestedUnkeyedContainer()
        try list.encode(2)
        var last = container.superEncoder().container(keyedBy: SampleKey.self)
        try last.encode(1, forKey: .x)
    }
}

struct Pear: Encodable, Sendable {
    struct Rotten: Error {}
    var isBad = false

    func encode(to encoder: any Encoder) throws {
        if isBad { throw Rotten() }
        var container = encoder.singleValueContainer()
        try container.encode(1)
    }
}

struct Endless: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Endless())
    }
}

struct Twice: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(1)
        try container.encode(2)
    }
}

struct Both: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SampleKey.self)
        try container.encode(1, forKey: .a)
        var list = encoder.unkeyedContainer()
        try list.encode(2)
    }
}
