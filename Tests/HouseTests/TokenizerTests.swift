import Testing

@Suite struct `The tokenizer` {
    private func code(_ source: String) -> [String] {
        Tokenizer.tokens(of: source).filter { !$0.isComment }.map(\.text)
    }

    private func kinds(_ source: String) -> [Token.Kind] {
        Tokenizer.tokens(of: source).map(\.kind)
    }

    @Test func `parts names, numbers and marks`() {
        #expect(
            code("let x = 0x1F + y.z[1_000]")
                == ["let", "x", "=", "0x1F", "+", "y", ".", "z", "[", "1_000", "]"])
        #expect(code("0..<5") == ["0", "..<", "5"])
        #expect(code("1.5e3...2") == ["1.5e3", "...", "2"])
        #expect(code("a?.b ?? c!") == ["a", "?", ".", "b", "??", "c", "!"])
    }

    @Test func `keeps comments apart from code`() {
        let source = """
            a // b { "c
            /* d /* nested { */ still */ e
            /// documented
            //// only a comment
            """
        #expect(code(source) == ["a", "e"])
        #expect(
            kinds(source) == [.word, .comment, .comment, .word, .documentation, .comment])
        #expect(Tokenizer.tokens(of: "/// Says.\n")[0].text == " Says.")
        #expect(Tokenizer.tokens(of: "/** Says. */").map(\.text) == [" Says. "])
        #expect(code("a /**/ b") == ["a", "b"])
    }

    @Test func `keeps code apart that looks like a comment or a brace in a string`() {
        #expect(code(#"f("// no { comment", b)"#) == ["f", "(", "// no { comment", ",", "b", ")"])
        #expect(code(#""a\"}b" c"#) == [#"a\"}b"#, "c"])
        #expect(code(#""\\" }"#) == [#"\\"#, "}"])
    }

    @Test func `reads the code inside of interpolations`() {
        #expect(
            code(#""a\(f(x) { $0 })b" c"#) == [
                "a", "(", "f", "(", "x", ")", "{", "$0", "}", ")", "b", "c",
            ])
        #expect(
            code(#""\(a, "inner \(b)")""#) == [
                "", "(", "a", ",", "inner ", "(", "b", ")", "", ")", "",
            ])
    }

    @Test func `takes raw strings as they stand`() {
        #expect(code(##"#"a\(b)"}"# c"##) == [##"a\(b)"}"##, "c"])
        #expect(code(##"#"a\#(b)c"# d"##) == ["a", "(", "b", ")", "c", "d"])
        #expect(code(###"##"a"# b"## c"###) == [##"a"# b"##, "c"])
    }

    @Test func `takes strings of several lines whole`() {
        let source = #"""
            let a = """
                one " two "" {
                \(three) \"""
                """ + four
            """#
        let tokens = Tokenizer.tokens(of: source)
        #expect(tokens.map(\.text).suffix(2) == ["+", "four"])
        #expect(tokens.last?.line == 4)
        #expect(tokens.contains { $0.text == "three" && $0.line == 3 })
        #expect(!tokens.contains { $0.isMark("{") })
        let raw = ##"""
            #"""
            \(a) """ {
            """# b
            """##
        #expect(code(raw).last == "b")
        #expect(code(raw).count == 2)
    }

    @Test func `tells regular expressions from divisions`() {
        #expect(code("a = /b{2}\\/\"/ ; c") == ["a", "=", "b{2}\\/\"", ";", "c"])
        #expect(code("#/ b { /# c") == [" b { ", "c"])
        #expect(code("(a / b) / c") == ["(", "a", "/", "b", ")", "/", "c"])
        #expect(code("reduce(1, /)\na / b") == ["reduce", "(", "1", ",", "/", ")", "a", "/", "b"])
    }

    @Test func `knows attributes, directives and names in backticks`() {
        let tokens = Tokenizer.tokens(of: "@Test func `a { b`() #expect(`init`) #if")
        #expect(tokens[0].kind == .attribute)
        #expect(tokens[2].text == "a { b")
        #expect(tokens[2].kind == .quoted)
        #expect(tokens.filter { $0.kind == .directive }.map(\.text) == ["#expect", "#if"])
        #expect(!tokens.contains { $0.isWord("init") })
    }

    @Test func `counts lines from one, and says where each token stands`() {
        let source = "a\n  bc\r\n\n\"d\""
        let tokens = Tokenizer.tokens(of: source)
        #expect(tokens.map(\.line) == [1, 2, 4])
        #expect(tokens.map(\.range) == [0..<1, 4..<6, 9..<12])
    }

    @Test(arguments: [
        "\"", "\"\"\"", "/*", "`", "#\"", "\"\\(", "\"\\", "a\\", "@", "#", "/", "}", "\"\\(\"\\(",
        "\u{0}\u{7F}é🙂", "/a", "#/", "..", "///",
    ])
    func `comes to the end of anything`(source: String) {
        for text in [source, source + source, "a" + source + "\n" + source] {
            let tokens = Tokenizer.tokens(of: text)
            #expect(tokens.allSatisfy { $0.range.upperBound <= text.utf8.count })
        }
    }
}
