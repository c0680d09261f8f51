import NetTesting
import Networking
import Testing

/// Whether this runs on the main queue, which is where the main actor runs. (`Thread.isMainThread` is of no use on Linux.)
nonisolated func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: MainQueue.mark) == true }

private nonisolated enum MainQueue {
    static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
}

/// What the stub of ``makeTransport()`` answers: where it ran, and what the body said of itself.
nonisolated struct Report: Codable, Sendable, Equatable {
    var sentOnMain: Bool?
    var encodedOnMain: Bool?
}

/// A model as an app writes it: it belongs to the main actor, and so do its conformances.
struct Mine: Codable {
    var report = Report()
    var decodedOnMain = false

    init() {}

    init(from decoder: any Decoder) throws {
        report = try Report(from: decoder)
        decodedOnMain = isOnMainQueue()
    }

    func encode(to encoder: any Encoder) throws { try Report(encodedOnMain: isOnMainQueue()).encode(to: encoder) }
}

/// A model that belongs to no actor.
nonisolated struct Shared: Codable, Sendable {
    var report = Report()
    var decodedOnMain = false

    init() {}

    init(from decoder: any Decoder) throws {
        report = try Report(from: decoder)
        decodedOnMain = isOnMainQueue()
    }

    func encode(to encoder: any Encoder) throws { try Report(encodedOnMain: isOnMainQueue()).encode(to: encoder) }
}

/// Both models in one, to be compared.
struct Seen: Equatable {
    var decodedOnMain: Bool
    var report: Report

    init(decodedOnMain: Bool, encodedOnMain: Bool? = nil) {
        self.decodedOnMain = decodedOnMain
        report = Report(sentOnMain: false, encodedOnMain: encodedOnMain)
    }

    init(_ value: Mine) { (decodedOnMain, report) = (value.decodedOnMain, value.report) }
    init(_ value: Shared) { (decodedOnMain, report) = (value.decodedOnMain, value.report) }
}

func makeTransport() -> StubTransport {
    StubTransport { request, body, _ in
        var report = Report()
        if let data = body?.data, let sent = try? JSONDecoder().decode(Report.self, from: data) { report = sent }
        report.sentOnMain = isOnMainQueue()
        return TransportResponse(status: 200, url: request.url, body: HTTPBody(try JSONEncoder().encode(report)))
    }
}

/// What a completion on the main queue gets.
func answer(
    _ send: (@escaping @Sendable @MainActor (NetworkResponse<Mine>) -> Void) -> RequestChain
) async -> Seen? {
    await withCheckedContinuation { continuation in
        _ = send { response in
            #expect(isOnMainQueue())
            continuation.resume(returning: response.value.map { Seen($0) })
        }
    }
}

// An app's own endpoints. They are values that travel, so they belong to no actor, without a word.
struct GetMine: Endpoint {
    typealias Response = Mine
    var path: String { "/mine" }
}

struct GetShared: Endpoint {
    typealias Response = Shared
    var path: String { "/shared" }
}

struct PostMine: Endpoint {
    typealias Response = Mine
    let model: any Encodable & Sendable
    var path: String { "/mine" }
    var method: HTTPMethod { .post }
    var body: (any Encodable & Sendable)? { model }
}

struct Backend: NetworkEnvironment {
    var baseURL: URL { URL(string: "https://api.example.com") ?? URL(fileURLWithPath: "/") }
}
