import Redux

/// Accounts with a password each, which is a secret or a text.
struct AccountSample<Password: Encodable & Sendable & Equatable>: Encodable, Sendable, Equatable {
    struct Account: Encodable, Sendable, Equatable, Identifiable {
        var id: Int
        var name: String
        var password: Password
    }

    var accounts: [Account]

    init(count: Int, _ password: (String) -> Password) {
        accounts = (0..<count).map { number in
            Account(
                id: number, name: "account number \(number)",
                password: password("password number \(number)"))
        }
    }
}
