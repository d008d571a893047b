import Testing

@testable import Gzip

@Suite struct GzipCompressorTests {
    @Test(arguments: [1, 7, 100, 4_096])
    func `pieces compress to the same content`(_ size: Int) throws {
        let original = text(5_000)
        var compressor = GzipCompressor()
        var packed: [UInt8] = []
        for start in stride(from: 0, to: original.count, by: size) {
            let piece = original.span.extracting(start..<min(start + size, original.count))
            compressor.compress(piece, into: &packed)
        }
        compressor.finish(into: &packed)

        var decompressor = GzipDecompressor(outputLimit: original.count)
        var output: [UInt8] = []
        for index in packed.indices {
            let byte = packed.span.extracting(index..<index + 1)
            try decompressor.decompress(byte, into: &output)
        }
        try decompressor.finish()
        #expect(output == original)
    }

    @Test(arguments: [CompressionSettings.standard, .stream])
    func `each event can be read after its sync flush`(_ settings: CompressionSettings) throws {
        var compressor = GzipCompressor(settings: settings)
        var decompressor = GzipDecompressor(outputLimit: 10_000_000)
        for count in [0, 1, 10, 5_000, 70_000, 3] {
            var packed: [UInt8] = []
            compressor.compress(text(count).span, into: &packed, flush: .sync)
            var event: [UInt8] = []
            try decompressor.decompress(packed.span, into: &event)
            #expect(event == text(count))
        }
    }

    @Test(arguments: [CompressionSettings.standard, .stream])
    func `stored pieces stand between compressed ones`(_ settings: CompressionSettings) throws {
        var compressor = GzipCompressor(settings: settings)
        var decompressor = GzipDecompressor(outputLimit: 10_000_000)
        for (index, count) in [100, 300_000, 5_000, 70_000, 3, 0, 9].enumerated() {
            let isStored = index % 2 == 1
            var packed: [UInt8] = []
            compressor.compress(
                text(count).span, into: &packed, flush: .sync, isStored: isStored)
            if isStored { #expect(packed.count >= count) }
            var event: [UInt8] = []
            try decompressor.decompress(packed.span, into: &event)
            #expect(event == text(count))
        }
        var end: [UInt8] = []
        compressor.finish(into: &end)
        var rest: [UInt8] = []
        try decompressor.decompress(end.span, into: &rest)
        try decompressor.finish()
        #expect(rest.isEmpty)
    }

    @Test func `a stored piece follows what was held back`() throws {
        var compressor = GzipCompressor(settings: .stream)
        var packed: [UInt8] = []
        compressor.compress(text(20_000).span, into: &packed)
        compressor.compress(text(50_000).span, into: &packed, isStored: true)
        compressor.compress(text(10).span, into: &packed, flush: .finish)
        #expect(try unpack(packed, limit: 80_000) == text(20_000) + text(50_000) + text(10))
    }

    @Test func `a repeated event costs a small part of the first`() {
        var compressor = GzipCompressor(settings: .stream)
        var first: [UInt8] = []
        compressor.compress(text(1_000).span, into: &first, flush: .sync)
        var second: [UInt8] = []
        compressor.compress(text(1_000).span, into: &second, flush: .sync)
        #expect(second.count * 5 < first.count)
    }

    @Test func `output is appended`() throws {
        let one: [UInt8] = [1]
        var output: [UInt8] = [9, 9]
        var compressor = GzipCompressor()
        compressor.compress(one.span, into: &output, flush: .finish)
        #expect(Array(output.prefix(2)) == [9, 9])
        #expect(try unpack(Array(output.dropFirst(2))) == [1])
    }
}
