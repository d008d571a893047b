import Testing

@Suite struct `Declarations` {
    private func read(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/Some/File.swift", target: "Some", text: text)
    }

    private func names(_ text: String) -> [String] {
        read(text).declarations.map { "\($0.kind.rawValue) \($0.fullName)" }
    }

    @Test func `have the names of the types around them`() {
        let source = """
            struct A<T: Equatable>: Sendable where T: Hashable {
                enum B { case one(Int, by: [Int]), two; var isOne: Bool { true } }
                let c = 1, d: [String: Int]
                init(_ c: Int = { 1 }()) {}
                subscript(index: Int) -> Int { index }
                deinit { func inner() {} }
            }
            extension A.B: Codable { static func make() -> Self { .two } }
            func free() { let local = 1; struct Local {} }
            """
        #expect(
            names(source) == [
                "struct A", "enum A.B", "enumCase A.B.one", "enumCase A.B.two",
                "variable A.B.isOne",
                "variable A.c", "initializer A.init", "subscript A.subscript",
                "deinitializer A.deinit", "function A.inner", "extension A.B",
                "function A.B.make", "function free", "struct Local",
            ])
    }

    @Test func `are not words that stand in statements`() {
        let source = """
            class func make() {}
            func f(isolation actor: isolated (any Actor)?, in extension: Int, class: Int) {
                switch x { case .struct: break; case let .enum(protocol): break }
                self.init(x); a.extension = b.class; actor.run { }
                if case .func = y {}
            }
            """
        #expect(names(source) == ["function make", "function f"])
    }

    @Test func `end with their last brace`() throws {
        let source = """
            /// Says.
            /// More.
            @inlinable
            public mutating func f(
                _ a: Int = g { 1 }
            ) throws(Failure) -> [Int: Int] {
                if true {}
            }
            var a: Int { 1 }
            let b = { 2 }
            protocol P {
                var c: Int { get }
                func d()
                func e() -> Int
            }
            """
        let declarations = read(source).declarations
        let f = try #require(declarations.first)
        #expect(f.line == 4 && f.lines == 3...8)
        #expect(f.modifiers == ["public", "mutating"] && f.attributes == ["@inlinable"])
        #expect(declarations.map(\.name) == ["f", "a", "b", "P", "c", "d", "e"])
        #expect(declarations.filter { $0.body != nil }.map(\.name) == ["f", "a", "P", "c"])
        #expect(declarations[3].lines == 11...15)
    }

    @Test func `keep their modifiers, with arguments, and what they inherit`() {
        let source = """
            @available(*, deprecated, message: "no")
            public private(set) nonisolated(unsafe) static var a = 1
            enum State { case open; case final, prefix }
            final class B<T: P>: Q, R<T> where T: S {}
            """
        let declarations = read(source).declarations
        #expect(
            declarations[0].modifiers
                == ["public", "private(set)", "nonisolated(unsafe)", "static"])
        #expect(declarations[0].attributes == ["@available"])
        #expect(declarations[2...4].allSatisfy { $0.modifiers.isEmpty })
        #expect(declarations[5].inherited == ["Q", "R", "T"])
    }

    @Test func `may be named like keywords and operators`() {
        let source = """
            enum A { case `init`, `default` = 2; static func == (a: A, b: A) -> Bool { true } }
            infix operator <~>
            func `a sentence`() {}
            """
        #expect(
            names(source) == [
                "enum A", "enumCase A.init", "enumCase A.default", "function A.==",
                "function a sentence",
            ])
    }
}

@Suite struct `Imports` {
    @Test func `are found behind attributes and kinds, in code alone`() {
        let source = """
            @testable internal import A
            public import struct B.C
            // import D
            let text = "import E"
            @_exported public import F
            """
        let imports = SourceFile(path: "", target: "", text: source).imports
        #expect(imports.map(\.module) == ["A", "B", "F"])
        #expect(imports.map(\.line) == [1, 2, 5])
    }

    @Test func `that stand in for a missing module are known as such`() {
        let source = """
            #if canImport(FoundationEssentials)
            import FoundationEssentials
            #else
            import Foundation
            #endif
            #if os(Linux)
            import Glibc
            #else
            import Darwin
            #endif
            """
        let imports = SourceFile(path: "", target: "", text: source).imports
        #expect(imports.filter(\.isFallback).map(\.module) == ["Foundation"])
        #expect(imports.count == 4)
    }
}

@Suite struct `The manifest` {
    private let manifest = Manifest(
        text: """
            let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
            let package = Package(
                targets: [
                    // .target(name: "Comment"),
                    .executableTarget(
                        name: "Tool",
                        dependencies: ["Base", logging, .product(name: "Deque", package: "c")],
                        path: "Sources/ToolCommand"),
                    .target(name: "Base", dependencies: [.target(name: "Ground"), unknown]),
                    .target(name: "Ground", linkerSettings: [.linkedLibrary("z")]),
                    .testTarget(name: "BaseTests", dependencies: ["Base"]),
                ])
            for target in package.targets { target.dependencies += [.byName(name: "More")] }
            """)

    @Test func `gives each target's name, place and dependencies, before any loop`() {
        #expect(manifest.target(named: "Tool")?.dependencies == ["Base", "Logging", "Deque"])
        #expect(manifest.target(named: "Tool")?.path == "Sources/ToolCommand")
        #expect(manifest.target(named: "Base")?.dependencies == ["Ground", "unknown"])
        #expect(manifest.target(named: "Ground")?.dependencies == [])
        #expect(manifest.target(named: "BaseTests")?.path == "Tests/BaseTests")
        #expect(manifest.target(named: "Comment") == nil)
        #expect(manifest.products == ["Logging", "Deque"])
    }

    @Test func `tells what stands behind a target, and which one a file belongs to`() {
        #expect(manifest.closure(of: "Tool") == ["Base", "Logging", "Deque", "Ground", "unknown"])
        #expect(manifest.target(of: "Sources/ToolCommand/Main.swift")?.name == "Tool")
        #expect(manifest.target(of: "Sources/Tool/Main.swift") == nil)
    }
}
