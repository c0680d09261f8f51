import NetTesting
import Networking
import Testing

/// Every spelling of headers compiles in every call style, and sends the same fields.
@Suite struct HeaderFieldsTests {
    let server: MockServer
    let networking = Networking()
    private let nested: JSONValue = ["b": 1, "c": "x"]
    private var url: URL { server.url("/") }
    private let variable = HTTPHeaders(["X-B": "2", "X-A": "1"] as [String: String])

    init() throws { server = try MockServer { _ in .data(Data("[1]".utf8), contentType: "application/json") } }

    private func expectFields(_ count: Int) {
        #expect(server.requests.count == count)
        for request in server.requests { #expect(request.headers["X-A"] == "1" && request.headers["X-B"] == "2") }
    }

    @Test func headersOfCallsThatReturnAValue() async throws {
        for value: [Int] in [
            try await networking.request(url: url, headers: variable),
            try await networking.request(
                url: url, headers: [HTTPHeader(name: "X-A", value: "1"), .init(name: "X-B", value: "2")]),
            try await networking.request(
                url: url, method: .post, bodyParameters: ["a": 1], headers: variable, retryCount: 1),
            try await networking.request(url: url, method: .post, bodyParameters: ["a": nested], headers: variable),
            try await networking.request(url: url, method: .post, body: [1], headers: variable),
        ] { #expect(value == [1]) }
        expectFields(5)
        let _: [Int] = try await networking.request(url: url, headers: [.accept("a/b")])
        let _: [Int] = try await networking.request(url: url, headers: [:])
        let _: [Int] = try await networking.request(url: url)
        #expect(server.requests[5].headers["Accept"] == "a/b")
    }

    @Test func headersOfCallsThatReturnAResponse() async {
        for response: NetworkResponse<[Int]> in [
            await networking.request(url: url, headers: variable),
            await networking.request(url: url, method: .post, bodyParameters: ["a": nested], headers: variable),
            await networking.request(url: url, method: .post, body: [1], headers: variable),
        ] { #expect(response.value == [1]) }
        expectFields(3)
    }

    @Test func headersOfCallsWithoutAValue() async throws {
        try await networking.request(url: url, headers: variable)
        try await networking.request(url: url, method: .post, bodyParameters: ["a": 1], headers: variable)
        try await networking.request(url: url, method: .post, bodyParameters: ["a": nested], headers: variable)
        try await networking.request(url: url, method: .post, body: [1], headers: variable)
        expectFields(4)
    }

    /// A literal is an `HTTPHeaders`, where the last field of a name wins; a dictionary would trap.
    @Test func literalsAreHTTPHeaders() async throws {
        let _: [Int] = try await networking.request(url: url, headers: ["A": "1", "A": "2"])
        let _: NetworkResponse<[Int]> = await networking.request(url: url, headers: ["A": "1", "A": "2"])
        try await networking.request(url: url, headers: ["A": "1", "A": "2"])
        try await networking.request(url: url, method: .post, body: [1], headers: ["A": "1", "A": "2"])
        try await networking.request(url: url, method: .post, bodyParameters: ["a": 1], headers: ["A": "1", "A": "2"])
        #expect(server.requests.map { $0.headers["A"] } == ["2", "2", "2", "2", "2"])
    }

    @Test func headersOfCallbacks() async throws {
        let (print, queue) = (Transcript(), DispatchQueue(label: "headers"))
        networking.request(url: url, headers: variable) { (response: NetworkResponse<[Int]>) in print(response.value) }
        networking.request(url: url, headers: ["X-A": "1", "X-B": "2"]) { (response: NetworkResponse<[Int]>) in
            print(response.value)
        }
        networking.request(url: url, headers: variable, queue: queue) { (response: NetworkResponse<[Int]>) in
            print(response.value)
        }
        networking.request(url: url, method: .post, body: [1], headers: variable, queue: queue) {
            (response: NetworkResponse<[Int]>) in print(response.value)
        }
        networking.request(url: url, headers: variable).responseDecodable(of: [Int].self) { print($0.value) }
        networking.request(url: url, headers: ["X-A": "1", "X-B": "2"])
            .responseDecodable(of: [Int].self) { print($0.value) }
        networking.request(url: url, method: .post, body: [1], headers: variable)
            .responseDecodable(of: [Int].self) { print($0.value) }
        #expect(try await print.said(7) == [String](repeating: "[1]", count: 7))
        expectFields(7)
    }

    @Test func headersOfStreams() async throws {
        for stream in [
            try await networking.stream(url: url, headers: variable),
            try await networking.stream(url: url, headers: ["X-A": "1", "X-B": "2"]),
        ] { #expect(stream.status == 200) }
        expectFields(2)
        _ = networking.serverSentEvents(url: url, headers: variable)
        _ = networking.serverSentEvents(url: url, headers: ["X-A": "1"])
    }

    @Test func headersOfTransfers() async throws {
        let first: [Int] = try await networking.upload(.data(Data([1])), to: url, headers: variable)
        let second: [Int] = try await networking.upload(.data(Data([1])), to: url, headers: ["X-A": "1", "X-B": "2"])
        let third: NetworkResponse<[Int]> = await networking.upload(.form(["a": 1]), to: url, headers: variable)
        let fourth: NetworkResponse<[Int]> = await networking.upload(.multipart { _ in }, to: url, headers: variable)
        #expect(first == [1] && second == [1] && third.value == [1] && fourth.value == [1])
        for file: URL in [
            try await networking.download(from: url, headers: variable),
            try await networking.download(from: url, headers: ["X-A": "1", "X-B": "2"]),
        ] { try FileManager.default.removeItem(at: file) }
        _ = Downloader.Source.url(url, headers: variable)
        _ = Downloader.Source.resumeData(Data(), headers: variable)
        expectFields(6)
        let _: [Int] = try await networking.upload(.data(Data([1])), to: url, headers: nil)
        // It fails; this only checks that the call compiles.
        await #expect(throws: NetworkError.self) {
            _ = try await networking.resumeDownload(with: nil, headers: variable)
        }
    }

    @Test func headersOfWebSockets() async throws {
        for opened in [
            { try await self.networking.webSocket(to: url, headers: self.variable) },
            { try await self.networking.webSocket(to: url, headers: ["X-A": "1", "X-B": "2"]) },
            { try await self.networking.client.webSocket(to: url, headers: self.variable) },
        ] as [() async throws -> WebSocket] {
            // The server answers 200.
            await #expect(throws: (any Error).self) { try await opened() }
        }
        expectFields(3)
        _ = networking.client.reconnectingWebSocket(to: url, headers: variable)
    }
}
