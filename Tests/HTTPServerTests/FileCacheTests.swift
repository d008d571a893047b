@testable import HTTPServer
import Sockets
import Testing

@Suite struct FileCacheTests {
    @Test func `content is found by name and tag`() {
        var cache = FileCache(limit: 100)
        cache.keep(SharedBytes([1]), of: "a", tag: [7])
        cache.keep(SharedBytes([2]), of: "a.gz", tag: [7])
        #expect(cache.content(of: "a", tag: [7])?.bytes == [1])
        #expect(cache.content(of: "a.gz", tag: [7])?.bytes == [2])
        #expect(cache.content(of: "a", tag: [8])?.bytes == nil)
        #expect(cache.content(of: "b", tag: [7])?.bytes == nil)
        #expect(cache.byteCount == 2)
    }

    @Test func `new content drives out the old one of its name`() {
        var cache = FileCache(limit: 100)
        cache.keep(SharedBytes([1, 1, 1]), of: "a", tag: [7])
        cache.keep(SharedBytes([2]), of: "a", tag: [8])
        #expect(cache.content(of: "a", tag: [7])?.bytes == nil)
        #expect(cache.byteCount == 1)
    }

    @Test func `all together stay within the limit`() {
        var cache = FileCache(limit: 10)
        for name in 0..<20 {
            cache.keep(
                SharedBytes([UInt8](repeating: 0, count: 4)), of: "\(name)", tag: [1])
            #expect(cache.byteCount <= 10)
        }
        cache.keep(SharedBytes([UInt8](repeating: 0, count: 11)), of: "big", tag: [1])
        #expect(cache.content(of: "big", tag: [1])?.bytes == nil)
        #expect(cache.content(of: "19", tag: [1]) != nil)
    }
}
