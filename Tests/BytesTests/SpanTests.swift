import Bytes
import Testing

@Suite struct `Copies of spans` {
    @Test func `every length is copied whole and behind what was there`() {
        for count in 0...300 {
            let source = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect([UInt8](copying: source.span) == source)
            var bytes: [UInt8] = [1, 2]
            bytes.append(copying: source.span)
            #expect(bytes == [1, 2] + source)
        }
    }

    @Test func `a text is copied as its UTF-8`() {
        var bytes: [UInt8] = []
        bytes.append(copying: "é𝄞")
        #expect(bytes == Array("é𝄞".utf8))
    }

    @Test func `spans are equal by their bytes`() {
        let (first, second) = ([1, 2, 3] as [UInt8], [1, 2, 4] as [UInt8])
        let isItself = first.span.elementsEqual(first.span)
        let isOther = first.span.elementsEqual(second.span)
        let beginsAlike = first.span.extracting(..<2).elementsEqual(second.span.extracting(..<2))
        let isShorter = first.span.extracting(..<2).elementsEqual(first.span)
        #expect(isItself && beginsAlike && !isOther && !isShorter)
    }

    @Test func `spans of every length differ by any of their bytes`() {
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            let copy = Array(bytes)
            let isEqual = bytes.span.elementsEqual(copy.span)
            #expect(isEqual)
            for place in bytes.indices {
                var other = bytes
                other[place] ^= 0x80
                let isOther = !bytes.span.elementsEqual(other.span)
                #expect(isOther)
            }
        }
    }
}
