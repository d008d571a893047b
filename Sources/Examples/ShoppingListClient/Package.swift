// swift-tools-version: 6.2

import PackageDescription

// What a client has of a server's package: the application's model, and the mirror.
let model: Target.Dependency = .product(name: "ShoppingListModel", package: "statecast")
let redux: Target.Dependency = .product(name: "Redux", package: "statecast")
let mirror: Target.Dependency = .product(name: "StatecastClient", package: "statecast")

let package = Package(
    name: "shopping-list-client",
    platforms: [.macOS(.v26)],
    products: [.executable(name: "ShoppingListClient", targets: ["ShoppingListClient"])],
    dependencies: [.package(name: "statecast", path: "../../..")],
    targets: [
        .executableTarget(
            name: "ShoppingListClient", dependencies: [model, redux, mirror], path: "Sources")
    ]
)
