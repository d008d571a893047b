internal import HTTPMessages
internal import Sockets

/// The fields of every answer about one file.
struct FileFields {
    let size: Int64
    let isCompressible: Bool
    private let tag: String
    private let contentType: String
    private let cacheControl: String
    private let lastModified: String
    private let securityLines: [UInt8]

    init(_ file: borrowing StaticFile, _ securityLines: [UInt8]) {
        size = file.status.size
        isCompressible = ContentType.isCompressible(file.contentType)
        tag = "\"\(String(decoding: file.tag, as: UTF8.self))\""
        contentType = file.contentType.description
        cacheControl = file.cacheControl
        lastModified = HTTPDate.format(secondsSince1970: Int(file.status.modifiedSeconds))
        self.securityLines = securityLines
    }

    /// Writes the fields that a 304 repeats (RFC 9110 §15.4.5).
    func writeValidators(_ writer: inout ResponseWriter, coding: String? = nil) {
        writer.field("ETag", coding == nil ? tag : "W/\(tag)")
        writer.field("Cache-Control", cacheControl)
        if isCompressible { writer.vary(by: "Accept-Encoding") }
    }

    /// All fields of an answer with content; the tag of coded content is weak.
    func write(_ writer: inout ResponseWriter, coding: String? = nil) {
        writer.field("Content-Type", contentType)
        writeValidators(&writer, coding: coding)
        writer.field("Last-Modified", lastModified)
        if let coding {
            writer.field("Content-Encoding", coding)
        } else {
            writer.field("Accept-Ranges", "bytes")
        }
        writer.lines(securityLines)
    }
}
