import Redux

/// A playing card, on the wire a number: `17` is the five of diamonds.
public struct Card: RawRepresentable, Hashable, StateValue {
    /// 0 to 51: thirteen clubs from the ace to the king, then diamonds, hearts and spades.
    public let rawValue: Int

    /// The card of a number; nil where there is none.
    public init?(rawValue: Int) {
        guard (0..<52).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// All 52, in their order.
    public static let deck = (0..<52).compactMap(Card.init)

    /// The card may be played on another one: both have one suit, or one rank.
    public func matches(_ other: Card) -> Bool {
        rawValue / 13 == other.rawValue / 13 || rawValue % 13 == other.rawValue % 13
    }
}
