import TestLab
import Testing

@testable import NetTransfer

@Suite(.timeLimit(.minutes(5))) struct ElementTests {
    private struct Item: Codable, Hashable, Sendable { let id: Int }

    private func stream(_ pieces: [Data], keyPath: String? = nil) -> ResponseStream {
        var response = TransportResponse(status: 200, url: nil, body: .of(pieces))
        response.pipeline.keyPath = keyPath
        return ResponseStream(response)
    }

    private func stream(_ pieces: String...) -> ResponseStream { stream(pieces.map { Data($0.utf8) }) }

    private func elements(_ pieces: [Data], at path: String = "", limit: Int = .max) throws -> [Data] {
        var scanner = ChunkScanner(JSONElementCursor(limit: limit, path: ResponseKeyPath(path), decoder: .json))
        return try scanner.items(of: pieces)
    }

    private func texts(_ pieces: [Data], at path: String = "", limit: Int = .max) throws -> [String] {
        try elements(pieces, at: path, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    private func texts(_ text: String, at path: String = "", limit: Int = .max) throws -> [String] {
        let data = Data(text.utf8)
        let whole = Result { try texts([data], at: path, limit: limit) }
        for split in 0..<data.count {
            let parts = Result { try texts([data.prefix(split), data.dropFirst(split)], at: path, limit: limit) }
            #expect("\(parts)" == "\(whole)", "split at \(split)")
        }
        #expect("\(Result { try texts(data.map { Data([$0]) }, at: path, limit: limit) })" == "\(whole)")
        return try whole.get()
    }

    @Test func elementsAreDecodedAsTheyArrive() async throws {
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let stream = ResponseStream(TransportResponse(status: 200, url: nil, body: HTTPBody(stream: chunks)))
        var iterator = stream.elements(of: Item.self).makeAsyncIterator()
        continuation.yield(Data("[ {\"id\":1}, {\"i".utf8))
        #expect(try await iterator.next() == Item(id: 1))
        continuation.yield(Data("d\": 2}".utf8))
        #expect(try await iterator.next() == Item(id: 2), "before the comma")
        continuation.yield(Data("]".utf8))
        continuation.finish()
        #expect(try await iterator.next() == nil)
    }

    @Test func keyPathSelectsTheArray() async throws {
        let text = #"{"x": [{"items": [9]}], "data": {"n":1, "it\u0065ms": [{"id":1}, {"id":2}], "items":[7]}, "y":{}}"#
        #expect(try await stream(text).elements(of: Item.self, keyPath: "data.items").collected().map(\.id) == [1, 2])
        let byRequest = stream([Data(text.utf8)], keyPath: "data.items").elements(of: Item.self)
        #expect(try await byRequest.collected().count == 2)
        let snake = #"{"all_items": [[], [{"the_id": 1}]]}"#
        struct Snake: Decodable, Sendable { let theId: Int }
        for path in ["all_items.1", "allItems.1"] {
            let elements = stream(snake).elements(of: Snake.self, decoder: .snakeCase, keyPath: path)
            #expect(try await elements.collected().map(\.theId) == [1])
        }
    }

    @Test func elementsOfAnArrayAreSplit() throws {
        #expect(try (texts("[]"), texts(" \r\n\t[ ] \n"), texts("\u{FEFF}[1]")) == ([], [], ["1"]))
        #expect(
            try texts(#"[1 ,-2.5e+3,"a,]\"\\", null,true, [1,[2]] ,{"a":"}"}]"#)
                == ["1", "-2.5e+3", #""a,]\"\\""#, "null", "true", "[1,[2]]", #"{"a":"}"}"#])
        #expect(try texts(#"{"a": {"b": [0, [1, 2]]}}"#, at: "a.b.1") == ["1", "2"])
        #expect(try texts(#"{"a": {"0": [3]}}"#, at: "a.0") == ["3"])
        #expect(try texts(#"{"a": [1], "a": [2]}"#, at: "a") == ["1"])
    }

    @Test(arguments: ["[1", "[", "", "[1,", "{\"a\": [1]", "[\"a", "[\"\\"])
    func truncatedArrayThrows(_ text: String) throws {
        let error = try problem(text, at: text.hasPrefix("{") ? "a" : "")
        guard case .truncated = error as? ResponseStream.JSONElementError else { throw error }
    }

    @Test(arguments: [
        ("[1]]", 3), ("[1] x", 4), ("[1}", 2), ("[,1]", 1), ("[1,]", 3), ("[1 2]", 3), ("[1]{", 3), ("[\"\u{1}\"]", 2),
        ("#", 0), ("[{]", 2), ("[{\"a\" 1}]", 6), ("[{\"a\":1,}]", 8), ("[{1:1}]", 2), ("[{\"a\":1 \"b\":1}]", 8),
        ("]", 0),
    ]) func malformedArrayThrowsItsOffset(_ text: String, _ place: Int64) throws {
        let error = try problem(text)
        guard case .malformed(let offset) = error as? ResponseStream.JSONElementError else { throw error }
        #expect(offset == place)
    }

    @Test(arguments: [
        (#"{"data": {"id": 1}}"#, "missing key 'items' at data"), ("{}", "missing key 'data' at the top level"),
        (#"{"data": {"items": "S3CR3T"}}"#, "expected array at data.items, found string"),
        (#"{"data": {"items": {}}}"#, "expected array at data.items, found object"),
        (#"{"data": null}"#, "expected object at data, found null"),
        ("[1]", "expected object at the top level, found array"),
    ]) func missingArrayIsADecodingError(_ text: String, _ summary: String) throws {
        let error = try problem(text, at: "data.items")
        #expect(error is DecodingError)
        let description = NetworkFailure(cause: .decodingError(error)).description
        #expect(description.contains(summary) && !description.contains("S3CR3T"), "\(description)")
    }

    private func problem(_ text: String, at path: String = "") throws -> any Error {
        let error = try #require(#expect(throws: NetworkError.self) { try texts(text, at: path) })
        guard case .decodingError(let inner) = error else { throw error }
        return inner
    }

    @Test func invalidElementIsReportedWithItsIndex() async throws {
        var iterator = stream(#"[{"id": 1}, {"id": "secret"}, {"id": 3}]"#).elements(of: Item.self).makeAsyncIterator()
        #expect(try await iterator.next() == Item(id: 1))
        let failure = try #require(await #expect(throws: NetworkFailure.self) { try await iterator.next() })
        #expect(failure.kind == .decodingFailed && failure.statusCode == 200)
        #expect(failure.description.contains("element 1: expected Int at id"), "\(failure.description)")
        #expect(!failure.description.contains("secret"))
        #expect(try await iterator.next() == nil, "an error is the end")
    }

    @Test func elementSizeAndDepthAreLimited() throws {
        for text in ["[1, 12345, 1]", "[1, [111], 1]", "[1, \"11111"] {
            #expect(throws: NetworkError.responseTooLarge(limit: 4)) { try texts(text, limit: 4) }
        }
        #expect(try texts("[1, 1234 , [11]]", limit: 4).count == 3)
        #expect(try texts("{\"a\": \"\(String(repeating: "x", count: 50))\", \"b\": [1]}", at: "b", limit: 4) == ["1"])
        let depth = JSONElementCursor.depthLimit
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try texts([Data(deep.utf8)]).count == 1)
        let error = try #require(#expect(throws: NetworkError.self) { try texts([Data("[\(deep)]".utf8)]) })
        guard case .decodingError(ResponseStream.JSONElementError.tooDeep(limit: 512)) = error else { throw error }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func elementsMatchJSONSerialization(seed: UInt64) throws {
        var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        for round in 0..<300 {
            var data = Data(Self.array(&random, depth: 0).utf8)
            if round % 3 == 0 { data = random.mutate(data) }
            let pieces = random.pieces(of: data)
            let expected = (try? JSONSerialization.jsonObject(with: data)) as? [Any]
            let found = try? elements(pieces).map { element in
                try JSONSerialization.jsonObject(with: element, options: .fragmentsAllowed)
            }
            // Foundation reads UTF-16 and UTF-32 too.
            if found == nil, data.contains(0) { continue }
            let text = String(decoding: data, as: UTF8.self)
            #expect(found.map { NSArray(array: $0) } == expected.map { NSArray(array: $0) }, "\(text)")
        }
    }

    private static func array(_ random: inout SeededGenerator, depth: Int) -> String {
        let count = random.next(below: depth == 0 ? 8 : 4)
        let space = [" ", "", "\n", "\t\r\n"][random.next(below: 4)]
        return "[\(space)" + (0..<count).map { _ in value(&random, depth: depth + 1) }.joined(separator: ",\(space)")
            + "\(space)]"
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> String {
        switch random.next(below: depth > 4 ? 4 : 6) {
        case 0: return "\(random.next(below: 2_000_000) - 1_000_000)"
        case 1: return ["true", "false", "null", "1.5e3", "-0"][random.next(below: 5)]
        case 2, 3: return string(&random)
        case 4: return array(&random, depth: depth)
        default:
            let members = (0..<random.next(below: 4)).map { "\"k\($0)\" : " + value(&random, depth: depth + 1) }
            return "{\(members.joined(separator: " , "))}"
        }
    }

    private static func string(_ random: inout SeededGenerator) -> String {
        let parts = ["a", "\\\"", "\\\\", ",", "]", "}", "[", "{", ":", "é", "\\u00e9", "👩‍🚀", "\\n", " "]
        return "\"" + (0..<random.next(below: 8)).map { _ in parts[random.next(below: parts.count)] }.joined() + "\""
    }
}
