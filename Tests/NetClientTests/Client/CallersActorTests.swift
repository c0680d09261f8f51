import NetClient
import NetTesting
import Testing

/// The work of a call is not done on the caller's actor: an app's main thread has better things to do than to decode.
@Suite struct CallersActorTests {
    private final class QueueExecutor: SerialExecutor {
        static let mark = DispatchSpecificKey<Bool>()
        private let queue = DispatchQueue(label: "caller")

        init() { queue.setSpecific(key: Self.mark, value: true) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    /// An actor on a queue that can be recognised.
    private actor Caller {
        private let executor = QueueExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        static var isHere: Bool { DispatchQueue.getSpecific(key: QueueExecutor.mark) == true }

        func run(_ body: @Sendable (isolated Caller) async throws -> Void) async rethrows {
            #expect(Self.isHere)
            try await body(self)
        }
    }

    /// Notes who came by on the caller's queue.
    private final class Witness: HTTPInterceptor, BodyDecoder, BodyEncoder {
        private let lock = NSLock()
        nonisolated(unsafe) private var list: [String] = []
        var seen: [String] { lock.withLock { list } }

        private func note(_ name: String) {
            lock.withLock { list.append(name + (Caller.isHere ? " on the actor" : "")) }
        }

        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            note("intercept")
            return try await next(request)
        }
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            note("decode")
            return try JSONDecoder().decode(type, from: data)
        }
        var contentType: String { "application/json" }
        func encode(_ value: some Encodable) throws -> Data {
            note("encode")
            return try JSONEncoder().encode(value)
        }
    }

    @Test func encodingThePipelineAndDecodingAreNotOnIt() async throws {
        let witness = Witness()
        let client = NetworkClient(
            interceptors: [witness], decoder: witness, encoder: witness,
            transport: StubTransport { request, _, _ in
                TransportResponse(status: 200, url: request.url, body: HTTPBody("[1]"))
            })
        let url = try #require(URL(string: "https://a.example/"))
        try await Caller().run { caller in
            let value: [Int] = try await client.execute(URLRequest(url: url))
            #expect(value == [1])
            _ = try await client.send(Request<[Int]>(absoluteURL: url))
            let response = await client.builder(for: Request<[Int]>(absoluteURL: url)).response()
            #expect(response.value == [1])
            _ = try await client.fetch(Absolute(baseURL: url), as: [Int].self)
            #expect(Caller.isHere)
        }
        #expect(Set(witness.seen) == ["intercept", "encode", "decode"])
        #expect(witness.seen.filter { $0 == "decode" }.count == 4)
    }

    private struct Absolute: Endpoint {
        typealias Response = [Int]
        let baseURL: URL?
        var path: String { "sum" }
        var method: HTTPMethod { .post }
        var body: (any Encodable & Sendable)? { [1, 2] }
    }
}
