import NetCore

enum SeamUser: String, CaseIterable, Sendable { case alice, bob }

/// Who is at the keyboard, and in which language: what credentials and hooks of a client that several users share go by.
enum Seat {
    @TaskLocal static var user: SeamUser?
    @TaskLocal static var language: String?
}

/// The tokens of one case's users.
///
/// A token names its user, its case and its generation (`alice.c17.t0`), so that it is recognised wherever it turns up.
final class TokenVault: Sendable {
    let id: Int
    private let generations = Locked<[SeamUser: Int]>([:])
    init(id: Int) { self.id = id }
    func generation(of user: SeamUser) -> Int { generations.withLock { $0[user] ?? 0 } }
    func token(of user: SeamUser) -> String { Self.token(of: user, id, generation(of: user)) }
    func renew(_ user: SeamUser) { generations.withLock { $0[user, default: 0] += 1 } }
    static func token(of user: SeamUser, _ id: Int, _ generation: Int) -> String {
        "\(user.rawValue).c\(id).t\(generation)"
    }
}
