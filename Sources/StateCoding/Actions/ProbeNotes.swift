/// The questions that a ``ProbeDecoder`` was asked.
final class ProbeNotes {
    /// The keys of an enum's cases; nil if the type did not ask for them.
    var caseKeys: KeyNames?
    /// The type asked for a raw value instead.
    var isRaw = false
    /// The keys of a case's values; nil if the type did not ask for them.
    var valueKeys: KeyNames?
    /// The values of a case that it asked for, in their order.
    var values: [(key: String, type: Any.Type)] = []
}
