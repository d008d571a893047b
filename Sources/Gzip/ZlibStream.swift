internal import CZlib

/// Added to the window in what zlib's init functions take: the wrapper of RFC 1952.
let gzipWrapper = 16

/// Runs `step` once with `room` bytes of space at the end of `output`, and keeps what was filled.
func appendOutput(
    of stream: UnsafeMutablePointer<z_stream>, room: Int, to output: inout [UInt8],
    step: (UnsafeMutablePointer<z_stream>) -> Int32
) -> Int32 {
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: room))
    let status = unsafe output.withUnsafeMutableBufferPointer { buffer in
        unsafe stream.pointee.next_out = buffer.baseAddress.map { unsafe $0 + start }
        unsafe stream.pointee.avail_out = UInt32(room)
        return unsafe step(stream)
    }
    unsafe stream.pointee.next_out = nil
    output.removeLast(Int(unsafe stream.pointee.avail_out))
    return status
}
