import HTTPMessages

extension RequestMethod {
    /// The method changes nothing (RFC 9110 §9.2.1).
    var isSafe: Bool {
        switch self {
        case .get, .head, .options: true
        default: false
        }
    }
}
