/// A call does not encode, send and decode on the caller's actor, which may be the main thread.
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

    private actor Caller {
        private let executor = QueueExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        static var isHere: Bool { DispatchQueue.getSpecific(key: QueueExecutor.mark) == true }
        func run(_ body: @Sendable (isolated Caller) async throws -> Void) async rethrows {
            #expect(Self.isHere)
            try await body(self)
        }
    }

    /// Notes the calls, and whether they are on the caller's queue.
    private final class Witness: HTTPInterceptor, BodyDecoder, BodyEncoder {
        private let list = Locked<[String]>([])
        var seen: [String] { list.withLock { $0 } }
        private func note(_ name: String) { list.withLock { $0.append(name + (Caller.isHere ? " on the actor" : "")) } }
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

    private struct Absolute: Endpoint {
        typealias Response = [Int]
        let baseURL: URL?
        let path = "sum"
        let method = HTTPMethod.post
        var body: (any Encodable & Sendable)? { [1, 2] }
    }

    @Test func encodingPipelineAndDecodingLeaveTheCallersActor() async throws {
        let (witness, url) = (Witness(), try url())
        let client = NetworkClient(
            interceptors: [witness], decoder: witness, encoder: witness,
            transport: StubTransport { _, _, _ in answer(200, "[1]") })
        try await Caller().run { caller in
            let value: [Int] = try await client.execute(URLRequest(url: url))
            #expect(value == [1])
            _ = try await client.send(Request<[Int]>(absoluteURL: url))
            #expect(await client.builder(for: Request<[Int]>(absoluteURL: url)).response().value == [1])
            _ = try await client.fetch(Absolute(baseURL: url), as: [Int].self)
            #expect(Caller.isHere)
        }
        #expect(Set(witness.seen) == ["intercept", "encode", "decode"])
        #expect(witness.seen.filter { $0 == "decode" }.count == 4)
    }
}
