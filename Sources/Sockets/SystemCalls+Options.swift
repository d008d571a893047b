internal import Glibc

extension SystemCalls {
    /// Sets one socket option of the size of an `int`.
    func setOption(
        _ descriptor: borrowing Descriptor, _ level: Int32, _ name: Int32, _ value: Int32
    ) throws(SystemError) {
        let number = descriptor.rawValue
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        try check(.setOption) { Int(unsafe setsockopt(number, level, name, &value, size)) }
    }

    /// Reads one socket option of the size of an `int`.
    func option(
        _ descriptor: borrowing Descriptor, _ level: Int32, _ name: Int32
    ) throws(SystemError) -> Int32 {
        let number = descriptor.rawValue
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        try check(.setOption) { Int(unsafe getsockopt(number, level, name, &value, &size)) }
        return value
    }
}
