internal import CZlib

/// Added to the window in what zlib's init functions take: the wrapper of RFC 1952.
let gzipWrapper = 16

/// Runs `step` once with `room` bytes of space at the end of `output`, and keeps what was filled.
func appendOutput(
    of stream: UnsafeMutablePointer<z_stream>, room: Int, to output: inout [UInt8],
    step: (UnsafeMutablePointer<z_stream>) -> Int32
) -> Int32 {
    var status: Int32 = 0
    output.append(addingCapacity: room) { space in
        unsafe space.withUnsafeMutableBufferPointer { buffer, count in
            unsafe stream.pointee.next_out = buffer.baseAddress.map { unsafe $0 + count }
            unsafe stream.pointee.avail_out = UInt32(room)
            status = unsafe step(stream)
            count += room - Int(unsafe stream.pointee.avail_out)
        }
    }
    unsafe stream.pointee.next_out = nil
    return status
}
