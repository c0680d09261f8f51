#if os(Linux)
    import Testing

    @testable import NetTransport

    @Suite struct RequestWriterTests {
        func head(
            method: String = "GET", target: String = "/", fields: [(name: String, value: String)] = [],
            host: String = "a.example", framing: HTTP1RequestFraming = .none
        ) throws(HTTP1RequestError) -> String {
            var buffer = latin1("before")
            do throws(HTTP1RequestError) {
                try HTTP1RequestWriter.appendHead(
                    method: method, target: target, fields: fields, host: host, framing: framing, to: &buffer)
            } catch {
                #expect(buffer == latin1("before"))
                throw error
            }
            return String(decoding: buffer.dropFirst(6), as: UTF8.self)
        }

        @Test func requestHeadIsWritten() throws {
            #expect(try head() == "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
            #expect(
                try head(
                    method: "OPTIONS", target: "*", fields: [("Accept", "*/*"), ("X", ""), ("Y", "a\tb é")],
                    host: "[::1]:81", framing: .noneButExpected)
                    == "OPTIONS * HTTP/1.1\r\nHost: [::1]:81\r\nAccept: */*\r\nX: \r\nY: a\tb é\r\nContent-Length: 0\r\n\r\n"
            )
            #expect(
                try head(method: "POST", framing: .length(.max)).hasSuffix(
                    "\r\nContent-Length: 9223372036854775807\r\n\r\n"))
            #expect(try head(method: "POST", framing: .length(0)).hasSuffix("\r\nContent-Length: 0\r\n\r\n"))
            #expect(
                try head(framing: .chunked) == "GET / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            #expect(try head(target: "http://a/b?c#d", host: "") == "GET http://a/b?c#d HTTP/1.1\r\nHost: \r\n\r\n")
        }

        @Test func hostAndFramingFieldsOfTheCallerAreDropped() throws {
            let fields = [
                ("HOST", "b"), ("content-length", "7"), ("Transfer-Encoding", "gzip"), ("Hos_", "x"), ("Hosts", "y"),
            ]
            .map { (name: $0.0, value: $0.1) }
            #expect(
                try head(fields: fields, framing: .length(1))
                    == "GET / HTTP/1.1\r\nHost: a.example\r\nHos_: x\r\nHosts: y\r\nContent-Length: 1\r\n\r\n")
            // Bytes that differ from a letter in one bit are not the other case of it.
            #expect(try head(fields: [("Content\u{2D}Lengt^", "x")]).contains("Lengt^: x"))
        }

        @Test(arguments: ["\r", "\n", "\0", "\r\n", "\u{01}", "\u{7F}", " ", "é"])
        func controlCharactersAreRefused(_ bad: String) {
            #expect(throws: HTTP1RequestError.invalidMethod) { try head(method: "GE" + bad) }
            #expect(throws: HTTP1RequestError.invalidTarget) { try head(target: "/" + bad + "x") }
            #expect(throws: HTTP1RequestError.invalidHost) { try head(host: bad + "a") }
            #expect(throws: HTTP1RequestError.invalidFieldName("A" + bad)) {
                try head(fields: [("B", "c"), ("A" + bad, "x")])
            }
            guard bad != " ", bad != "é" else { return }
            #expect(throws: HTTP1RequestError.invalidFieldValue(name: "A")) {
                try head(fields: [("A", "x" + bad + "Injected: y")])
            }
        }

        @Test func emptyPartsAreRefused() {
            #expect(throws: HTTP1RequestError.invalidMethod) { try head(method: "") }
            #expect(throws: HTTP1RequestError.invalidTarget) { try head(target: "") }
            #expect(throws: HTTP1RequestError.invalidFieldName("")) { try head(fields: [("", "x")]) }
            #expect(throws: HTTP1RequestError.invalidFieldName("A:")) { try head(fields: [("A:", "x")]) }
            #expect(throws: HTTP1RequestError.invalidLength) { try head(framing: .length(-1)) }
            #expect(HTTP1RequestError.invalidFieldName("\r\n").message == #"The field name "\r\n" is not a token."#)
        }

        @Test func chunkSizeIsHexadecimal() {
            for count in [1, 9, 10, 15, 16, 17, 255, 256, 4095, 4096, 65536, 1 << 20] {
                var buffer: [UInt8] = []
                HTTP1RequestWriter.appendChunkSize(count, to: &buffer)
                #expect(buffer == latin1("\(String(count, radix: 16))\r\n"))
            }
            var size: [UInt8] = []
            HTTP1RequestWriter.appendChunkSize(.max, to: &size)
            #expect(size == latin1("7fffffffffffffff\r\n"))
        }
    }
#endif
