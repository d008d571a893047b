public import HTTPTypes

extension RequestMethod {
    /// The method of swift-http-types; nil for `other`.
    public var httpMethod: HTTPRequest.Method? {
        switch self {
        case .get: .get
        case .head: .head
        case .post: .post
        case .put: .put
        case .delete: .delete
        case .options: .options
        case .patch: .patch
        case .connect: .connect
        case .trace: .trace
        case .other: nil
        }
    }
}
