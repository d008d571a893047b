import Testing

@Suite struct `A source file` {
    private func read(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/Some/File.swift", target: "Some", text: text)
    }

    /// Source, and its code in words and marks.
    @Test(arguments: [
        ("let x = y.z[$0] -> \"a\"", "let x = y . z [ $0 ] ->"),
        ("a // b { \"c\n/* d /* { */ e */ f", "a f"),
        (#"f("// no { comment", b) "\"}" "\\" c"#, "f ( , b ) c"),
        (#""a\(f(x) { "i\(j)" })b" c"#, "( f ( x ) { ( j ) } ) c"),
        (##"#"a\(b)"}"# c #"a\#(d)"# e"##, "c ( d ) e"),
        ("\"\"\"\n one \" { \"\"\n \\(three) \\\"\"\"\n \"\"\" + four", "( three ) + four"),
        ("a = /b{2}\\/\"/ ; #/ { /# c (a / b) / c", "a = ; c ( a / b ) / c"),
        ("@Test func `a { \"b`() #expect(`init`)", "@Test func a { \"b ( ) #expect ( init )"),
    ])
    func `is read without comments, strings and regular expressions`(source: String, code: String) {
        #expect(
            read(source).tokens.map(\.text).filter { !$0.hasPrefix("\"") }.joined(separator: " ")
                == code)
    }

    @Test func `says something in lines of code alone`() {
        let file = read(
            """
            import A
            /// Says.
            struct B {

                let c = \"""
                    d

                    \"""
            }
            """)
        #expect(file.sayingCount == 4)
        #expect(file.tokens.last?.line == 9)
    }

    @Test func `has declarations with the names of the types around them`() {
        let file = read(
            """
            @available(*, deprecated, message: "no")
            public struct A<T: Equatable>: Sendable where T: Hashable {
                enum B { case one(Int, by: [Int]), `init` = "2"
                    case last; var isOne: Bool { true } }
                public private(set) nonisolated(unsafe) static var c = 1, d: [String: Int]
                init(_ c: Int = { 1 }()) {}
                subscript(index: Int) -> Int { index }
                deinit { func inner() {} }
            }
            extension A.B: Codable { static func == (a: A, b: A) -> Bool { true } }
            @inlinable
            func free(
                isolation actor: isolated (any Actor)?, in extension: Int, class: Int
            ) throws(Failure)
                -> [Int: Int]
            {
                let local = 1; struct Local {}
                switch x { case .struct: break; case let .enum(protocol): break }
                self.init(x); a.extension = b.class; actor.run {}
            }
            protocol P { associatedtype Q; func requirement() }
            """)
        #expect(
            file.declarations.map { "\($0.kind) \($0.fullName)" } == [
                "struct A", "enum A.B", "case A.B.one", "case A.B.init", "case A.B.last",
                "var A.B.isOne", "var A.c",
                "init A.init", "subscript A.subscript", "deinit A.deinit", "func A.inner",
                "extension A.B", "func A.B.==", "func free", "struct Local", "protocol P",
                "associatedtype P.Q", "func P.requirement",
            ])
        #expect(file.declarations[0].isPublic && file.declarations[0].lastLine == 9)
        #expect(
            file.declarations[6].modifiers == [
                "public", "private(set)", "nonisolated(unsafe)", "static",
            ])
        #expect(file.declarations[13].line == 12 && file.declarations[13].lastLine == 20)
        #expect(file.declarations.last?.hasBody == false)
    }
}
