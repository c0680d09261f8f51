import NetTesting
import TestLab

@testable import NetCache

/// A server that answers operations from a script, and notes what it was asked.
final class ScriptedSender: HTTPSending {
    enum Step {
        case status(Int)
        case failure(NetworkError)
        case body(Int, HTTPBody)
        case retryAfter(Int)
        case stall
    }

    struct Sent {
        let body: Data?
        let request: URLRequest
        let partition: String?
        var path: String { request.url?.lastPathComponent ?? "" }
        var key: String? { request.value(forHTTPHeaderField: "Idempotency-Key") }
    }

    private let steps: Locked<[Step]>
    private let journal = Locked<[Sent]>([])
    let environment: (any NetworkEnvironment)?

    /// Returns these responses, then 200.
    init(_ steps: Step..., environment: (any NetworkEnvironment)? = nil) {
        (self.steps, self.environment) = (Locked(steps), environment)
    }

    var sent: [Sent] { journal.withLock { $0 } }
    var paths: [String] { sent.map(\.path) }

    func send(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext?
    ) async throws(NetworkFailure) -> TransportResponse {
        do {
            let data = try await body?.collect(upTo: .max)
            journal.withLock { $0.append(Sent(body: data, request: request, partition: context?.partition)) }
            switch steps.withLock({ $0.isEmpty ? .status(200) : $0.removeFirst() }) {
            case .status(let status):
                return TransportResponse(
                    status: status, headers: ["ETag": "\"7\""], url: request.url, body: HTTPBody("status \(status)"))
            case .body(let status, let body): return TransportResponse(status: status, url: request.url, body: body)
            case .retryAfter(let seconds):
                return TransportResponse(status: 503, headers: ["Retry-After": "\(seconds)"], url: request.url)
            case .failure(let error): throw error
            case .stall:
                try await SystemClock().sleep(for: .infinity)
                throw NetworkError.timeout
            }
        } catch {
            throw NetworkFailure(wrapping: error, request: request, timestamp: Date())
        }
    }
}

struct QueueLab {
    let directory: TemporaryDirectory
    let clock: TestClock

    init(autoAdvance: Bool = true) throws {
        directory = try TemporaryDirectory()
        clock = TestClock(autoAdvance: autoAdvance)
    }

    var file: URL { directory.file("queue") }

    func open(
        _ sender: ScriptedSender, retryPolicy: RetryPolicy = .none, attemptLimit: Int? = nil,
        keepsCredentials: Bool = false, adding names: [String] = [],
        onConflict: @escaping @Sendable (PendingOperation.Conflict) async -> PendingOperation.Conflict.Resolution = {
            _ in .keep
        }
    ) async throws -> PendingOperationsQueue {
        let queue = try await PendingOperationsQueue(
            fileURL: file, client: sender, retryPolicy: retryPolicy, attemptLimit: attemptLimit,
            keepsCredentials: keepsCredentials, clock: clock, random: { 0.5 }, onConflict: onConflict)
        for name in names { try await queue.add(Self.request(name)) }
        return queue
    }

    static func operation(_ number: Int, body: Data? = nil) throws -> PendingOperation {
        let content = try PendingOperation.Content(request("\(number)", body: nil), body: body, keepsCredentials: false)
        return PendingOperation(
            id: UUID(), createdAt: Date(timeIntervalSince1970: 1000.125), expiresAt: nil, partition: nil, owner: nil,
            sequence: Int64(number), content: content)
    }

    static func request(_ path: String, body: String? = "body") throws -> URLRequest {
        guard let url = URL(string: "https://example.com/\(path)") else { throw NetworkError.invalidURL }
        var request = URLRequest(url: url)
        (request.httpMethod, request.httpBody) = ("POST", body.map { Data($0.utf8) })
        return request
    }
}

final class EventRecorder: Sendable {
    private let texts: Locked<[String]>
    private let task: Task<Void, Never>

    init(_ queue: PendingOperationsQueue) {
        let (texts, events) = (Locked<[String]>([]), queue.events)
        self.texts = texts
        task = Task {
            for await event in events {
                let text = "\(event.operation.url.lastPathComponent) \(Self.text(event.kind)) \(event.operation.state)"
                texts.withLock { $0.append(text) }
            }
        }
    }

    deinit { task.cancel() }

    func wait(for count: Int) async throws -> [String] {
        try await waitUntil("there are \(count) events") { [texts] in texts.withLock { $0.count >= count ? $0 : nil } }
    }

    private static func text(_ kind: PendingOperationsQueue.Event.Kind) -> String {
        switch kind {
        case .added: "added"
        case .started: "started"
        case .succeeded(let status, _, let body): "succeeded \(status) \(String(decoding: body, as: UTF8.self))"
        case .failed(let failure): "failed \(failure.code)"
        case .conflict(let status, let resolution): "conflict \(status) \("\(resolution)".prefix(7))"
        case .held: "held"
        case .expired: "expired"
        case .removed: "removed"
        case .storageFailed: "storage failed"
        }
    }
}
