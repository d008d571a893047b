import Foundation
import Testing

/// What the pages' policy forbids, where a page or an example does it all the same.
@Suite struct `Under the pages' policy` {
    /// What a browser refuses: `default-src 'self'`, nothing inline, nothing evaluated.
    private static func refused(in text: String, language: String) -> [String] {
        let everywhere = [
            #"\son[a-z]+\s*=\s*["']"#, #"["'`]javascript:"#, #"[\s"'`]style\s*=\s*["'\\]"#,
            #"setAttribute\(\s*["'](style|on[a-z]+)["']"#, #"<style\b"#,
        ]
        let patterns =
            language == "html"
            ? [
                #"<script\b(?![^>]*\bsrc\s*=)"#,
                #"<(script|link|iframe|object|embed|source|video|audio)\b[^>]*\b(src|href|data)\s*=\s*["']?(https?:)?//"#,
                #"<form\b[^>]*\baction\s*=\s*["']?(https?:)?//"#,
            ]
            : [
                #"\beval\s*\("#, #"\bFunction\s*\("#, #"\bset(Timeout|Interval)\(\s*["'`]"#,
                #"(\bfrom|\bimport\s*\(|\bfetch\s*\(|EventSource\()\s*["'`](https?:)?//"#,
                #"\bblob:"#,
            ]
        return (everywhere + patterns).filter {
            text.range(of: $0, options: [.regularExpression, .caseInsensitive]) != nil
        }
    }

    @Test func `every snippet of an article runs`() throws {
        let blocks = try ["html", "javascript", "js"].flatMap { try Articles.blocks(in: $0) }
        try #require(blocks.contains { $0.language == "html" } && blocks.count > 2)
        for block in blocks {
            let text = block.lines.joined(separator: "\n")
            #expect(Self.refused(in: text, language: block.language) == [], "\(block)")
        }
    }

    @Test func `every page of this package runs`() throws {
        let pages = try ["Public", "Sources/CPages"].flatMap { place in
            try Articles.paths(under: place) { $0.hasSuffix(".html") || $0.hasSuffix(".js") }
        }
        try #require(pages.count > 10)
        for page in pages {
            let language = page.hasSuffix(".html") ? "html" : "js"
            let text = try Articles.text(of: page)
            #expect(Self.refused(in: text, language: language) == [], "\(page)")
        }
    }

    @Test(arguments: [
        ("html", "<script>start()</script>"), ("html", "<script type=\"module\">x</script>"),
        ("html", "<p style=\"color: red\">"), ("html", "<style>p { }</style>"),
        ("html", "<a href=\"javascript:go()\">"), ("html", "<button onclick='go()'>"),
        ("html", "<script src=\"https://cdn.example/x.js\"></script>"),
        ("html", "<link rel=stylesheet href=//cdn.example/x.css>"),
        ("js", "eval(text)"), ("js", "new Function('x')"), ("js", "setTimeout('go()', 1)"),
        ("js", "import { x } from \"https://cdn.example/x.js\""),
        ("js", "element.setAttribute('style', 'color: red')"),
        ("js", "element.innerHTML = `<p style=\"color: red\">`"),
        ("js", "fetch(\"https://api.example/\")"),
    ])
    func `what a browser refuses is found`(language: String, text: String) {
        #expect(Self.refused(in: text, language: language) != [])
    }
}
