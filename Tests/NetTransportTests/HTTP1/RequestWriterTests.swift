#if os(Linux)
    import Testing

    @testable import NetTransport

    @Suite struct RequestWriterTests {
        private func head(
            method: String = "GET", target: String = "/", fields: [(name: String, value: String)] = [],
            host: String = "a.example"
        ) throws(NetworkError) -> String {
            String(decoding: try WireRequest.http1Head(method, target, host: host, fields), as: UTF8.self)
        }

        @Test func requestHeadIsWritten() throws {
            #expect(try head() == "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
            #expect(
                try head(
                    method: "OPTIONS", target: "*", fields: [("Accept", "*/*"), ("X", ""), ("Y", "a\tb é")],
                    host: "[::1]:81")
                    == "OPTIONS * HTTP/1.1\r\nHost: [::1]:81\r\nAccept: */*\r\nX: \r\nY: a\tb é\r\n\r\n")
            #expect(try head(target: "http://a/b?c#d", host: "") == "GET http://a/b?c#d HTTP/1.1\r\nHost: \r\n\r\n")
        }

        /// Returns the lines of a head behind the request line, without those that each request has.
        private func lines(
            _ method: String, _ fields: [String: String] = [:], _ body: HTTPBody? = nil
        ) throws -> Set<String> {
            let request = URLRequest(try url("http://a.example/"), method, headers: fields)
            let wire = try WireRequest(request, body: body, EngineDefaults(TransportConfiguration()), through: nil)
            let all = String(decoding: wire.http1Head, as: UTF8.self).split(separator: "\r\n").dropFirst()
            return Set(all.map(String.init).filter { !$0.hasPrefix("Accept") })
        }

        @Test func bodyDecidesTheFraming() throws {
            #expect(try lines("GET") == ["Host: a.example"])
            for method in ["POST", "PUT", "PATCH"] {
                #expect(try lines(method) == ["Host: a.example", "Content-Length: 0"])
            }
            #expect(try lines("POST", [:], HTTPBody("abc")) == ["Host: a.example", "Content-Length: 3"])
            #expect(try lines("POST", [:], HTTPBody(Data())) == ["Host: a.example", "Content-Length: 0"])
            let stream = HTTPBody(pulling: { nil })
            #expect(try lines("POST", [:], stream) == ["Host: a.example", "Transfer-Encoding: chunked"])
            let declared = HTTPBody(length: .max, pulling: { nil })
            let expected: Set = ["Host: a.example", "Expect: 100-continue", "Content-Length: 9223372036854775807"]
            #expect(try lines("POST", [:], declared) == expected)
        }

        @Test func hostReplacesTheAuthorityAndFramingOfTheCallerIsDropped() throws {
            let fields = [
                "HOST": " b ", "content-length": "7", "Transfer-Encoding": "gzip", "Hos_": "x", "Hosts": "y",
                // A byte that differs from a letter in one bit is not the other case of it.
                "Content\u{2D}Lengt^": "x",
            ]
            let expected: Set = ["Host: b", "Hos_: x", "Hosts: y", "Content-Lengt^: x", "Content-Length: 1"]
            #expect(try lines("POST", fields, HTTPBody("a")) == expected)
        }

        @Test(arguments: ["\r", "\n", "\0", "\r\n", "\u{01}", "\u{7F}", " ", "é"])
        func controlCharactersAreRefused(_ bad: String) {
            #expect(throws: NetworkError.invalidRequest) { try head(method: "GE" + bad) }
            #expect(throws: NetworkError.invalidURL) { try head(target: "/" + bad + "x") }
            #expect(throws: NetworkError.invalidURL) { try head(host: bad + "a") }
            #expect(throws: NetworkError.invalidRequest) { try head(fields: [("B", "c"), ("A" + bad, "x")]) }
            guard bad != " ", bad != "é" else { return }
            #expect(throws: NetworkError.invalidRequest) { try head(fields: [("A", "x" + bad + "Injected: y")]) }
        }

        @Test func emptyPartsAreRefused() {
            #expect(throws: NetworkError.invalidRequest) { try head(method: "") }
            #expect(throws: NetworkError.invalidURL) { try head(target: "") }
            #expect(throws: NetworkError.invalidRequest) { try head(fields: [("", "x")]) }
            #expect(throws: NetworkError.invalidRequest) { try head(fields: [("A:", "x")]) }
        }
    }
#endif
