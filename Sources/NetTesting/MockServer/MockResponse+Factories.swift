public import NetCore

extension MockResponse {
    /// 200 without content.
    public static let ok = MockResponse()
    /// 204 (RFC 9110, section 15.3.5).
    public static let noContent = MockResponse(status: 204)
    /// 404 without content.
    public static let notFound = MockResponse(status: 404)

    /// A status without content.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status: status, headers: headers)
    }

    /// Text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> MockResponse {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Bytes.
    public static func data(
        _ data: Data,
        contentType: String = "application/octet-stream",
        status: Int = 200
    ) -> MockResponse {
        MockResponse(status: status, headers: ["Content-Type": contentType], body: .data(data))
    }

    /// A value as JSON, with the keys sorted.
    ///
    /// A value that cannot be encoded becomes a 500 whose text says why, so that the test sees it.
    public static func json(
        _ value: some Encodable,
        status: Int = 200,
        encoder: JSONEncoder? = nil
    ) -> MockResponse {
        let plain = JSONEncoder()
        plain.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return data(try (encoder ?? plain).encode(value), contentType: "application/json", status: status)
        } catch {
            return text("MockResponse.json could not encode the value: \(error)", status: 500)
        }
    }

    /// JSON that is text already, valid or not.
    public static func json(text: String, status: Int = 200) -> MockResponse {
        data(Data(text.utf8), contentType: "application/json", status: status)
    }

    /// A redirection.
    ///
    /// - Parameters:
    ///   - location: the value of `Location`, which may be relative.
    ///   - status: 302 unless given.
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        MockResponse(status: status, headers: ["Location": location])
    }

    /// Each element as one chunk (RFC 9112, section 7.1), with `delay` seconds between them.
    public static func chunked(_ chunks: [Data], delay: TimeInterval = 0) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "application/octet-stream"],
            body: .chunks(chunks, delay: delay)
        )
    }

    /// Each string as one chunk, with `delay` seconds between them.
    public static func chunked(_ chunks: [String], delay: TimeInterval = 0) -> MockResponse {
        chunked(chunks.map { Data($0.utf8) }, delay: delay)
    }

    /// A body of that many bytes that is made while it is sent. ``generatedBytes(count:)`` tells which bytes they are.
    public static func bytes(count: Int64) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "application/octet-stream"],
            body: .generated(count: max(0, count))
        )
    }

    /// A body with `Content-Encoding: gzip` that decodes to that many zeros, 159 for each byte sent: for limits on the decoded
    /// size.
    public static func gzippedZeros(count: Int64) -> MockResponse {
        MockResponse(
            headers: ["Content-Type": "application/octet-stream", "Content-Encoding": "gzip"],
            body: .gzippedZeros(count: max(0, count))
        )
    }

    /// Exactly these bytes in place of a response, whatever they are; then the connection is closed, unless
    /// ``closingConnection(_:)`` says otherwise.
    public static func raw(_ bytes: Data) -> MockResponse {
        var response = MockResponse()
        response.rawBytes = bytes
        response.closesConnection = true
        return response
    }

    /// Exactly the bytes of this text in place of a response: see ``raw(_:)-(Data)``. Line ends are yours to write: `\r\n`.
    public static func raw(_ text: String) -> MockResponse {
        raw(Data(text.utf8))
    }

    /// A response with a fault, otherwise 200.
    public static func fault(_ fault: MockFault) -> MockResponse {
        MockResponse.ok.fault(fault)
    }

    /// The first bytes of every generated body: lines of 63 letters and digits, the line feed is the 64th.
    public static func generatedBytes(count: Int) -> Data {
        var bytes = Data(capacity: max(0, count))
        while bytes.count < count { bytes.append(generatedLine.prefix(count - bytes.count)) }
        return bytes
    }

    static let generatedLine = Data("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-\n".utf8)
}
