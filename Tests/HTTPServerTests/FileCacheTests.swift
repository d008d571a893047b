@testable import HTTPServer
import Sockets
import Testing

@Suite struct FileCacheTests {
    @Test func `content is found by path, tag and form`() {
        var cache = FileCache(limit: 100)
        cache.keep(SharedBytes([1]), of: "a", tag: [7], .plain)
        cache.keep(SharedBytes([2]), of: "a", tag: [7], .compressed)
        #expect(cache.content(of: "a", tag: [7], .plain)?.bytes == [1])
        #expect(cache.content(of: "a", tag: [7], .compressed)?.bytes == [2])
        #expect(cache.content(of: "a", tag: [8], .plain)?.bytes == nil)
        #expect(cache.content(of: "b", tag: [7], .plain)?.bytes == nil)
        #expect(cache.byteCount == 2)
    }

    @Test func `new content drives out the old one of its path`() {
        var cache = FileCache(limit: 100)
        cache.keep(SharedBytes([1, 1, 1]), of: "a", tag: [7], .plain)
        cache.keep(SharedBytes([2]), of: "a", tag: [8], .plain)
        #expect(cache.content(of: "a", tag: [7], .plain)?.bytes == nil)
        #expect(cache.byteCount == 1)
    }

    @Test func `all together stay within the limit`() {
        var cache = FileCache(limit: 10)
        for name in 0..<20 {
            cache.keep(
                SharedBytes([UInt8](repeating: 0, count: 4)), of: "\(name)", tag: [1], .plain)
            #expect(cache.byteCount <= 10)
        }
        cache.keep(SharedBytes([UInt8](repeating: 0, count: 11)), of: "big", tag: [1], .plain)
        #expect(cache.content(of: "big", tag: [1], .plain)?.bytes == nil)
        #expect(cache.content(of: "19", tag: [1], .plain) != nil)
    }
}
