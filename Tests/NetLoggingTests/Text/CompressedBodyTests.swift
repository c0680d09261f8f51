import NetClient
import NetLogging
import NetTesting
import TestLab
import Testing

/// Logs, HAR files and curl commands of bodies that the client or the caller has compressed.
@Suite(.timeLimit(.minutes(2))) struct CompressedBodyTests {
    private let server: MockServer
    private let sink = RecordingSink()
    private let logger: NetworkLogger

    init() throws {
        server = try MockServer { _ in .text("ok") }
        logger = NetworkLogger(sinks: [sink])
    }

    private static let json = Data(
        #"{"id":7,"password":"S3CR3T","note":"\#(String(repeating: "a", count: 2000))"}"#.utf8)

    private static func coded() throws -> HTTPBody {
        let data = try #require(Compressor(.gzip)?.compress(json, .finish))
        return HTTPBody(
            source: .data(data), length: Int64(data.count), isReplayable: true,
            uncoded: UncodedBody(HTTPBody(json), coding: "gzip"))
    }

    private func request(isCoded: Bool = true) -> URLRequest {
        var request = URLRequest(server.url("/"), method: "POST", headers: ["Content-Type": "application/json"])
        request.setValue(isCoded ? "gzip" : nil, forHTTPHeaderField: "Content-Encoding")
        return request
    }

    @Test func bodyCompressedByTheClientIsShown() async throws {
        let recorder = TrafficRecorder()
        var configuration = NetworkClient.Configuration()
        configuration.requestCompression = .gzip
        configuration.callInterceptors = [recorder]
        configuration.interceptors = [LoggingInterceptor(level: .verbose, logger: logger)]
        let client = NetworkClient(configuration: configuration)
        _ = try await client.response(for: request(isCoded: false), body: HTTPBody(Self.json))
        await logger.flush()
        let length = try #require(server.requests.first).body.count
        let message = try #require(sink.messages.first)
        #expect(message.contains(#"Body: {"id":7,"password":"[REDACTED]""#))
        #expect(message.hasSuffix("(\(length) bytes, application/json, gzip)"))
        let sent = try #require(recorder.archive.log.entries.first).request
        #expect((sent.bodySize, sent.postData?.comment) == (Int64(length), "sent in gzip"))
        #expect(sent.postData?.text?.hasPrefix(#"{"id":7,"password":"[REDACTED]""#) == true)
    }

    @Test(arguments: [SanitizationConfig.default, .none])
    func bodyCompressedByTheCallerIsSummarised(_ sanitization: SanitizationConfig) async throws {
        let recorder = TrafficRecorder(sanitization: sanitization)
        let client = NetworkClient(
            interceptors: [LoggingInterceptor(level: .verbose, sanitization: sanitization, logger: logger)],
            callInterceptors: [recorder])
        let data = try #require(try Self.coded().data)
        _ = try await client.response(for: request(), body: HTTPBody(data))
        await logger.flush()
        #expect(sink.messages.first?.hasSuffix("Body: \(data.count) bytes, application/json, gzip") == true)
        let post = try #require(recorder.archive.log.entries.first?.request.postData)
        #expect((post.mimeType, post.data) == ("application/json", post.text == nil ? nil : data))
        #expect(post.comment?.contains("in gzip") != true)
    }

    /// The command sends what the client sends.
    @Test(.requires(.curl)) func commandCompressesTheBody() async throws {
        let folder = try TemporaryDirectory()
        try Self.json.write(to: folder.file("a.json"))
        let fromFile = HTTPBody(
            source: .stream { { nil } }, length: nil, isReplayable: true,
            uncoded: UncodedBody(try HTTPBody(file: folder.file("a.json")), coding: "gzip"))
        for body in [try Self.coded(), fromFile] {
            let command = CURLCommand(request: request(), body: body, sanitization: .none).text
            #expect(command.contains(" | gzip -c | curl -X POST -H 'Content-Encoding: gzip'"))
            try await ProcessRunner.run("sh", ["-c", command]).checked()
            let sent = try #require(server.requests.last)
            #expect((sent.headers["Content-Encoding"], sent.decodedBody) == ("gzip", Self.json))
        }
        let redacted = CURLCommand(request: request(), body: try Self.coded()).text
        #expect(redacted.hasPrefix(#"printf '{"id":7,"password":"[REDACTED]""#) && !redacted.contains("S3CR3T"))
    }
}
