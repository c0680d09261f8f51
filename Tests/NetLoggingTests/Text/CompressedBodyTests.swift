import NetClient
import NetLogging
import NetTesting
import TestLab
import Testing

/// Logs, HAR files and curl commands of bodies that the client or the caller has compressed.
@Suite(.timeLimit(.minutes(2))) struct CompressedBodyTests {
    private static let json = Data(
        #"{"id":7,"password":"S3CR3T","note":"\#(String(repeating: "a", count: 2000))"}"#.utf8)

    private static func coded() throws -> HTTPBody {
        let data = try #require(Compressor(.gzip)?.compress(json, .finish))
        return HTTPBody(
            source: .data(data), length: Int64(data.count), isReplayable: true,
            uncoded: UncodedBody(HTTPBody(json), coding: "gzip"))
    }

    private func request(_ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return request
    }

    @Test func bodyCompressedByTheClientIsShown() async throws {
        let server = try MockServer { _ in .text("ok") }
        let (sink, recorder) = (RecordingSink(), TrafficRecorder())
        let logger = NetworkLogger(sinks: [sink])
        var configuration = NetworkClient.Configuration()
        configuration.requestCompression = .gzip
        configuration.callInterceptors = [recorder]
        configuration.interceptors = [LoggingInterceptor(level: .verbose, logger: logger)]
        let client = NetworkClient(configuration: configuration)
        _ = try await client.response(for: request(server.url("/")), body: HTTPBody(Self.json))
        await logger.flush()
        let length = try #require(server.requests.first).body.count
        let message = try #require(sink.messages.first)
        #expect(message.contains(#"Body: {"id":7,"password":"[REDACTED]""#))
        #expect(message.hasSuffix("(\(length) bytes, application/json, gzip)"))
        let entry = try #require(recorder.archive.log.entries.first)
        #expect(entry.request.bodySize == Int64(length) && entry.request.postData?.comment == "sent in gzip")
        #expect(entry.request.postData?.text?.hasPrefix(#"{"id":7,"password":"[REDACTED]""#) == true)
        await server.stop()
    }

    @Test(arguments: [SanitizationConfig.default, .none]) func bodyCompressedByTheCallerIsSummarised(
        _ sanitization: SanitizationConfig
    ) async throws {
        let server = try MockServer { _ in .text("ok") }
        let (sink, recorder) = (RecordingSink(), TrafficRecorder(sanitization: sanitization))
        let logger = NetworkLogger(sinks: [sink])
        let client = NetworkClient(
            interceptors: [LoggingInterceptor(level: .verbose, sanitization: sanitization, logger: logger)],
            callInterceptors: [recorder])
        var request = request(server.url("/"))
        request.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
        let data = try #require(try Self.coded().data)
        _ = try await client.response(for: request, body: HTTPBody(data))
        await logger.flush()
        #expect(sink.messages.first?.hasSuffix("Body: \(data.count) bytes, application/json, gzip") == true)
        let post = try #require(recorder.archive.log.entries.first?.request.postData)
        #expect(post.mimeType == "application/json")
        #expect(post.data == (post.text == nil ? nil : data) && post.comment?.contains("in gzip") != true)
        await server.stop()
    }

    /// The command sends what the client sends.
    @Test(.requires(.curl)) func commandCompressesTheBody() async throws {
        let server = try MockServer { _ in .text("ok") }
        var request = request(server.url("/"))
        request.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
        let folder = try TemporaryDirectory()
        let file = folder.file("a.json")
        try Self.json.write(to: file)
        let fromFile = HTTPBody(
            source: .stream { { nil } }, length: nil, isReplayable: true,
            uncoded: UncodedBody(try HTTPBody(file: file), coding: "gzip"))
        for body in [try Self.coded(), fromFile] {
            let command = CURLCommand(request: request, body: body, sanitization: .none).text
            #expect(command.contains(" | gzip -c | curl -X POST -H 'Content-Encoding: gzip'"))
            try await ProcessRunner.run("sh", ["-c", command]).checked()
            let sent = try #require(server.requests.last)
            #expect(sent.headers["Content-Encoding"] == "gzip" && sent.decodedBody == Self.json)
        }
        let redacted = CURLCommand(request: request, body: try Self.coded()).text
        #expect(redacted.hasPrefix(#"printf '{"id":7,"password":"[REDACTED]""#) && !redacted.contains("S3CR3T"))
        await server.stop()
    }
}
