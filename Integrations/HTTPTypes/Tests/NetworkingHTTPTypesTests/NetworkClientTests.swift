import Foundation
import HTTPTypes
import NetClient
import NetCore
import NetTesting
import NetworkingHTTPTypes
import Testing

@Suite struct NetworkClientTests {
    @Test func sendsOverTheWire() async throws {
        let server = try MockServer()
        server.enqueue(
            MockResponse.text("pong", status: 201).addingHeader("Set-Cookie", "a=1").addingHeader("Set-Cookie", "b=2"))
        var request = HTTPRequest(method: .post, url: server.url("/p%20q?x=%2F&y"))
        request.headerFields[.accept] = "text/plain"
        request.headerFields[.cookie] = "c=3; d=4"
        request.headerFields[try #require(HTTPField.Name("X-Text"))] = "é😀"

        let (response, body) = try await NetworkClient().send(request, body: HTTPBody("ping"))
        #expect(response.status == .created)
        #expect(response.headerFields[values: .setCookie] == ["a=1", "b=2"])
        #expect(try await body.collect(upTo: 100) == Data("pong".utf8))

        let recorded = try await server.takeRequest()
        #expect(recorded.method == .post)
        #expect(recorded.target == "/p%20q?x=%2F&y")
        #expect(recorded.bodyText == "ping")
        #expect(recorded.headers["Accept"] == "text/plain")
        #expect(recorded.headers["Cookie"] == "c=3; d=4")
        #expect(recorded.headers["X-Text"] == "é😀")
        await server.stop()
    }

    @Test func collectsAcceptedResponsesOnly() async throws {
        let server = try MockServer()
        server.enqueue(.text("yes"), .text("no", status: 404), .text("no", status: 404))
        let client = NetworkClient()
        let request = HTTPRequest(url: server.url("/"))
        let (data, response) = try await client.data(for: request)
        #expect(data == Data("yes".utf8))
        #expect(response.status == .ok)
        let failure = await #expect(throws: NetworkFailure.self) { try await client.data(for: request) }
        #expect(failure?.statusCode == 404)
        #expect(try await client.send(request).response.status == .notFound)
        await server.stop()
    }

    @Test func readsValuesThatAreNotUTF8() async throws {
        let server = try MockServer()
        var raw = Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Latin: caf".utf8)
        raw.append(0xE9)
        raw.append(contentsOf: Data("\r\nX-Text: café\r\n\r\n".utf8))
        server.enqueue(.raw(raw))
        let (response, _) = try await NetworkClient().send(HTTPRequest(url: server.url("/")))
        #expect(response.headerFields[try #require(HTTPField.Name("X-Latin"))] == "café")
        #expect(response.headerFields[try #require(HTTPField.Name("X-Text"))] == "café")
        await server.stop()
    }

    @Test func failsBeforeSendingWithoutAURL() async throws {
        let failure = await #expect(throws: NetworkFailure.self) {
            try await NetworkClient().send(HTTPRequest(method: .connect, scheme: nil, authority: "a:1", path: nil))
        }
        #expect(failure?.cause == .invalidRequest)
        #expect(failure?.underlyingError as? HTTPTypesError == .connect)
    }

    @Test func refusesAStatusThatHTTPTypesCannotHold() async throws {
        struct Fixed: HTTPTransport {
            func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse
            {
                TransportResponse(status: 1000, url: request.url)
            }
        }
        let failure = await #expect(throws: NetworkFailure.self) {
            try await NetworkClient(transport: Fixed())
                .send(HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/"))
        }
        #expect(failure?.underlyingError as? HTTPTypesError == .invalidStatus(1000))
    }

    @Test func makesTransportResponses() throws {
        var response = HTTPResponse(status: .noContent, headerFields: [.server: "s"])
        response.headerFields.append(HTTPField(name: .setCookie, value: "a=1"))
        let url = URL(string: "http://a/")
        let converted = TransportResponse(response, url: url, version: .http2, trailers: [.eTag: "x"])
        #expect(converted.status == 204)
        #expect(converted.version == .http2)
        #expect(converted.headers["Server"] == "s")
        #expect(converted.trailers?["ETag"] == "x")
        #expect(try HTTPResponse(converted) == response)
    }
}
