/// The questions that a ``ProbeDecoder`` was asked.
final class ProbeNotes {
    /// The enums being explored, outermost first.
    var open: [ObjectIdentifier] = []
    var types: [String] = []
    var fault: ActionCoderError?

    /// The cases of the enum last asked for them.
    var cases: [String] = []
    /// The type asked for a raw value instead.
    var isRaw = false

    /// The type path of the case being explored, and the keys of its values.
    var path = ""
    var labels: [String] = []
    var hasSecond = false
    /// Explores the group that is among its values.
    var group: ((_ prefix: String) -> Void)?
}
