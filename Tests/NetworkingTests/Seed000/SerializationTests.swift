import NetTesting
import Networking
import Testing

/// Seed 000, chapter Serialization.
@Suite struct SerializationTests {
    let server: MockServer
    let api: String
    let networking = Networking()
    private let print = Transcript()

    init() throws {
        server = try MockServer()
        api = server.url.absoluteString
        server.on(.get, "/search", .json(text: #"{"id": 1, "title": "Swift", "at": "2026-01-31T12:00:00Z"}"#))
        server.on(.delete, "/tasks/42", .noContent)
        server.on(.get, "/file", .data(Data([0, 255, 10])))
        server.on(.get, "/log", .text("line one\nline two"))
        server.on(.get, "/feed", .data(Data("<feed>News</feed>".utf8), contentType: "application/xml"))
        server.on("/empty", .ok)
        server.on("/nothing", .noContent)
    }

    /// Section 1, `responseDecodable`. The seed's `Item` has no date; here it has, to see that the decoder is used.
    @Test func responseDecodable() async throws {
        let render = Transcript()
        let show = render
        struct Item: Decodable { let id: Int; let title: String; let at: Date }

        guard let url = URL(string: "\(api)/search") else {
            return
        }
        let requestConfig = RequestConfig(
            url: url,
            queryParameters: ["q": "swift"]
        )

        networking.request(requestConfig)
            /// custom Date decoding strategy if needed
            .responseDecodable(
                of: Item.self,
                decoder: {
                    let jsonDecoder = JSONDecoder()
                    jsonDecoder.dateDecodingStrategy = .iso8601
                    return jsonDecoder
                }()
            ) { response in
                if let items = response.value {
                    render(items)
                } else {
                    show(error: response.error)
                }
            }
        #expect(try await render.line().contains("Swift") && server.requests.map(\.target) == ["/search?q=swift"])
    }

    /// Section 1, "What happens under the hood", steps 1 to 3.
    @Test(arguments: [
        ("/missing", NetworkError.requestFailed(statusCode: 404, data: Data())),
        ("/empty", .noData), ("/nothing", .noData), ("/log", .decodingError(URLError(.unknown))),
    ]) func underTheHood(path: String, error: NetworkError) async throws {
        let response: NetworkResponse<Feed> = await networking.request(url: server.url(path))
        #expect((response.error, response.failure?.cause) == (error, error))
        if case .decodingError(let inner)? = response.error { #expect(inner is DecodingError) }
    }

    /// Section 1, step 1: the body of the refusal is in the error and in the response.
    @Test func bodyOfARefusal() async throws {
        server.enqueue(.json(text: #"{"reason": "quota"}"#, status: 429))
        let response: NetworkResponse<Feed> = await networking.request(url: server.url("/feed"))
        #expect(response.error == .requestFailed(statusCode: 429, data: Data(#"{"reason": "quota"}"#.utf8)))
        #expect((response.data, response.statusCode) == (Data(#"{"reason": "quota"}"#.utf8), 429))
    }

    /// Section 2, `responseVoid`: on 204, on a 200 with a body, and on a refusal.
    @Test(arguments: [
        (204, "Task deleted 🎉"), (200, "Task deleted 🎉"), (409, "Couldn’t delete: request_failed: status 409"),
    ]) func responseVoid(status: Int, said: String) async throws {
        let toast = Transcript()
        server.enqueue(status == 204 ? .noContent : .text("x", status: status))

        guard let deleteURL = URL(string: "\(api)/tasks/42") else {
            return
        }

        networking.request(url: deleteURL, method: .delete)
            .responseVoid { response in
                if response.isSuccess {
                    toast("Task deleted 🎉")
                } else {
                    toast("Couldn’t delete: \(response.error!)")
                }
            }
        #expect(try await toast.line().hasPrefix(said) && server.requests.map(\.description) == ["DELETE /tasks/42"])
    }

    /// Section 3, `responseData`.
    @Test(arguments: [
        ("file", "Got 3 bytes"), ("empty", "Got 0 bytes"), ("missing", "Error: request_failed: status 404"),
    ]) func responseData(file: String, said: String) async throws {
        networking.request(url: URL(string: "\(api)/\(file)")!)
            .responseData { response in
                switch response.result {
                case .success(let data):
                    print("Got \(data.count) bytes")
                case .failure(let error):
                    print("Error:", error)
                }
            }
        #expect(try await print.line().hasPrefix(said))
    }

    /// Section 4, `responseString`.
    @Test(arguments: [("log", "Log:\n line one\nline two"), ("file", "Error: decoding_error")])
    func responseString(path: String, said: String) async throws {
        networking.request(url: URL(string: "\(api)/\(path)")!)
            .responseString { response in
                switch response.result {
                case .success(let text):
                    print("Log:\n", text)
                case .failure(let error):
                    print("Error:", error)
                }
            }
        #expect(try await print.line().hasPrefix(said))
    }

    /// Section 5, Writing your own serializer: the usage, with the extension at the end of this file.
    @Test(arguments: [("/feed", "News"), ("/log", "decoding_error"), ("/missing", "request_failed")])
    func customSerializer(path: String, said: String) async throws {
        MarkedQueue.markMain()
        let requestConfig = RequestConfig(url: server.url(path))

        networking.request(requestConfig)
            .responseXML(of: Feed.self) { response in
                /// same pattern as JSON
                print(response.value?.title ?? response.error?.code)
                #expect(response.data != nil && response.response != nil && response.request != nil)
            }
        #expect(try await (print.line(), print.queues) == (said, ["main"]))
    }

    /// Section 5: "If you simply need raw `Data` or a `String`".
    @Test func rawDataOrString() async throws {
        let writeToDisk = Transcript()
        let requestConfig = RequestConfig(url: server.url("/log"))

        networking.request(requestConfig)
            .responseData { response in
                writeToDisk(response.data)
            }

        networking.request(requestConfig)
            .responseString { response in
                print("Server said:", response.value ?? "")
            }
        #expect(try await (writeToDisk.line(), print.line()) == ("17 bytes", "Server said: line one\nline two"))
    }

    /// Section 6, Async/await equivalents. Without the `try`, since there is nothing to catch.
    @Test(arguments: ["/search", "/empty"]) func asyncEquivalents(path: String) async throws {
        struct Item: Decodable { let id: Int; let title: String; let at: Date }
        let requestConfig = RequestConfig(url: server.url(path))
        let myISO8601Decoder = JSONDecoder()
        myISO8601Decoder.dateDecodingStrategy = .iso8601

        let response: NetworkingResponse<Item> = await networking.request(
            requestConfig,
            decoder: myISO8601Decoder)
        print(response.value ?? response.error)
        #expect(path == "/search" ? print.texts[0].contains("Swift") : print.texts == ["no_data"])
    }

    /// Section 6: "All helpers come in async flavours", with a custom serialiser too. `Data` and `String` are raw, as in section 5.
    @Test func asyncFlavours() async throws {
        let delete = RequestConfig(url: server.url("/tasks/42"), method: .delete)
        let void: NetworkResponse<Void> = await networking.request(delete)
        #expect(void.isSuccess && void.statusCode == 204)
        let data = await networking.request(RequestConfig(url: server.url("/file")), serializer: DataSerializer())
        #expect(data.value == Data([0, 255, 10]))
        let raw: Data = try await networking.request(url: server.url("/file"))
        let text: NetworkResponse<String> = await networking.request(url: server.url("/log"))
        let none: String = try await networking.request(url: server.url("/nothing"))
        #expect((raw, text.value, none) == (Data([0, 255, 10]), "line one\nline two", ""))
        let empty: EmptyResponse = try await networking.request(url: server.url("/nothing"))
        #expect(empty == EmptyResponse())
    }
}

private protocol XMLDecodable: Sendable { init(xml: String) throws }

private struct Feed: XMLDecodable, Decodable {
    let title: String

    init(xml: String) throws {
        guard xml.hasPrefix("<feed>"), xml.hasSuffix("</feed>") else { throw URLError(.cannotParseResponse) }
        title = String(xml.dropFirst("<feed>".count).dropLast("</feed>".count))
    }
}

private struct XMLDecoder {
    func decode<T: XMLDecodable>(_ type: T.Type, from data: Data) throws -> T {
        try T(xml: String(decoding: data, as: UTF8.self))
    }
}

// Section 5. `@Sendable` is added, since the completion runs on a queue.
extension RequestChain {

    @discardableResult
    fileprivate func responseXML<T: XMLDecodable>(
        of type: T.Type,
        queue: DispatchQueue = .main,
        completion: @escaping @Sendable (NetworkingResponse<T>) -> Void
    ) -> Self {

        responseData(queue: queue) { rawResponse in
            let result: Result<T, NetworkError> = rawResponse.result.flatMap { data in
                do {
                    return .success(try XMLDecoder().decode(T.self, from: data))
                } catch {
                    return .failure(.decodingError(error))
                }
            }

            completion(
                NetworkingResponse<T>(
                    request: rawResponse.request,
                    response: rawResponse.response,
                    data: rawResponse.data,
                    result: result))
        }
        return self
    }
}
