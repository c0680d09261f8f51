import NetCore
import TestLab

/// Stands where a snippet says `print`, `showAlert`, `render` and the like, so that the snippet is compiled as it is written
/// and what it would tell its user can be asserted.
struct Transcript: Sendable {
    private let lines = Locked<[(text: String, queue: String?)]>([])

    func callAsFunction(_ items: Any?...) { add(items) }
    func callAsFunction(error: NetworkError?) { add([error.map { "error: \($0.code)" } ?? "no error"]) }
    func callAsFunction(with item: Any?) { add([item]) }

    private func add(_ items: [Any?]) {
        let text = items.map { $0.map { "\($0)" } ?? "nil" }.joined(separator: " ")
        lines.withLock { $0.append((text, MarkedQueue.current)) }
    }

    var texts: [String] { lines.withLock { $0.map(\.text) } }

    /// What was said, as soon as there are that many lines.
    func said(_ count: Int = 1) async throws -> [String] {
        try await waitUntil("\(count) lines were said; so far \(texts)") { texts.count >= count ? texts : nil }
    }

    func line() async throws -> String { try await said().joined(separator: "\n") }

    /// The queue of each line: see ``MarkedQueue``.
    var queues: [String?] { lines.withLock { $0.map(\.queue) } }
}

/// Tells on which queue one is. On Linux the main actor has no thread of its own, so that `Thread.isMainThread` says nothing.
enum MarkedQueue {
    private static let key = DispatchSpecificKey<String>()

    static func make(_ name: String) -> DispatchQueue { mark(DispatchQueue(label: "NetworkingTests.\(name)"), name) }

    /// The main queue, known as `main` from the first call on.
    static func markMain() { _ = mark(.main, "main") }
    static var current: String? { DispatchQueue.getSpecific(key: key) }

    private static func mark(_ queue: DispatchQueue, _ name: String) -> DispatchQueue {
        queue.setSpecific(key: key, value: name)
        return queue
    }
}

/// The user of most examples.
struct User: Codable, Equatable, Sendable {
    let id: Int
    let name: String
}
