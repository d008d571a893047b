internal import Glibc

/// The number of descriptors that this process may have open.
package enum DescriptorLimit {
    /// Raises the limit to `count`, or as far as the system allows, and tells what it is then.
    /// Never lowers it.
    @discardableResult
    package static func raise(to count: Int) throws(SystemError) -> Int {
        let system = SystemCalls()
        var limit = rlimit()
        try system.check(.resourceLimit) {
            Int(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit))
        }
        guard limit.rlim_cur < rlim_t(count) else { return Int(clamping: limit.rlim_cur) }
        limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
        try system.check(.resourceLimit) {
            Int(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit))
        }
        return Int(clamping: limit.rlim_cur)
    }
}
