/// The secrets that an encoder has met, and how it treats them.
struct EncodedSecrets {
    enum Treatment {
        /// `"<redacted>"` stands for each.
        case hidden
        /// A text stands for each by which it is found again.
        case gathered(KeptSecrets)
        /// A placeholder stands for each, as in a ``FormText``, and its own JSON beside the text.
        case kept
        /// Each is written as what it wraps: inside of a secret.
        case open
    }

    let treatment: Treatment
    /// The secrets that are kept, in the order of their placeholders; empty in an encoder with a
    /// ``FormRecorder``, which has them.
    var holes: [FormHole] = []

    init(_ treatment: Treatment = .hidden) {
        self.treatment = treatment
    }
}
