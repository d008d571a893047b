import HTTPMessages

extension RequestHead {
    /// A body comes behind the head, if perhaps an empty one.
    var hasBody: Bool {
        switch body {
        case .none: false
        case .length(let length): length > 0
        case .chunked: true
        }
    }
}
