internal import FoundationEssentials

/// The accounts that can sign in. They hold passwords in clear text: a real one does not belong in
/// a mock.
struct Accounts {
    /// The mock keeps no more accounts than this.
    static let limit = 1_000

    private struct Account {
        let rider: Rider
        let password: String
    }

    /// By e-mail address in lower case.
    private var accounts: [String: Account] = [:]
    private var generator: SeededGenerator
    private var tokenCount = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        let rosa = Rider(
            id: "u1", fullName: "Rosa Lindqvist", nickname: "Rosa", email: "rosa@example.com",
            mobileNumber: "+46 70 555 01 01")
        accounts[rosa.email] = Account(rider: rosa, password: "open-sesame")
    }

    /// RFC 7617. The realm is named with the 401, as RFC 9110 §11.6.1 asks.
    mutating func login(authorization: String?) throws(MockAnswer) -> MockAnswer {
        guard let (email, password) = authorization.flatMap(credentials),
            let account = accounts[email.lowercased()], account.password == password
        else {
            var answer = MockAnswer.problem(
                401, "wrong-credentials", "E-mail address and password do not match.")
            answer.fields = [("WWW-Authenticate", "Basic realm=\"rides\", charset=\"UTF-8\"")]
            throw answer
        }
        return .json(LoginAnswer(token: nextToken(), user: account.rider))
    }

    mutating func signUp(_ request: MockRequest) throws(MockAnswer) -> MockAnswer {
        let form: SignUp = try request.decodeBody("A sign-up has five texts")
        let values = [form.fullName, form.nickname, form.email, form.mobileNumber, form.password]
        guard !values.contains(where: { $0.allSatisfy(\.isWhitespace) }), form.email.contains("@")
        else { throw .problem(422, "incomplete", "All five texts are needed.") }
        let email = form.email.lowercased()
        guard accounts[email] == nil else {
            throw .problem(409, "email-taken", "There is an account with this address.")
        }
        guard accounts.count < Self.limit else {
            throw .problem(503, "full", "The mock keeps \(Self.limit) accounts.")
        }
        let rider = Rider(
            id: "u\(accounts.count + 1)", fullName: form.fullName, nickname: form.nickname,
            email: form.email, mobileNumber: form.mobileNumber)
        accounts[email] = Account(rider: rider, password: form.password)
        return .json(LoginAnswer(token: nextToken(), user: rider), status: 201)
    }

    private mutating func nextToken() -> String {
        tokenCount += 1
        return "t-\(tokenCount)-\(String(generator.next(), radix: 16))"
    }

    private func credentials(_ value: String) -> (email: String, password: String)? {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let data = Data(base64Encoded: String(parts[1])),
            let text = String(bytes: data, encoding: .utf8),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
