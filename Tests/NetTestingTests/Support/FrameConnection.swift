@testable import NetTesting

/// A client of HTTP/2 that reads and writes single frames, and does nothing by itself but to begin.
final class FrameConnection {
    struct Frame: CustomStringConvertible {
        let header: HTTP2FrameHeader
        let payload: Data

        var kind: MockHTTP2Frame.Kind { header.kind }
        var stream: Int { Int(header.stream) }
        var endsStream: Bool { header.has(MockHTTP2Frame.endStream) }

        func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = UInt32.self) -> Number {
            Data(payload).withUnsafeBytes { $0.number(at: offset) }
        }

        var description: String {
            "type \(kind.rawValue) flags \(header.flags) stream \(stream) length \(payload.count)"
        }
    }

    /// What came on a stream until it ended.
    struct Response {
        var heads: [[HPACKField]] = []
        var body = Data()
        var reset: TransportError.HTTP2Code?
        var frames: [Frame] = []
        var status: String? { heads.last { !($0.first?.value.hasPrefix("1") ?? true) }?.first?.value }
        var text: String { String(decoding: body, as: UTF8.self) }
        subscript(name: String) -> String? { heads.flatMap { $0 }.first { $0.name == name }?.value }
    }

    let raw: RawConnection
    private var decoder = HPACKDecoder(listLimit: 64 << 20)
    private var encoder = HPACKEncoder()
    private var nextStream: UInt32 = 1

    init(_ raw: RawConnection) { self.raw = raw }

    /// Sends the preface and SETTINGS.
    func begin(settings: [UInt16: UInt32] = [:]) throws {
        try raw.send(Data(HTTP2Preface.bytes))
        let payload = settings.sorted { $0.key < $1.key }.flatMap { $0.key.bigEndianBytes + $0.value.bigEndianBytes }
        try send(MockHTTP2Frame(.settings, payload: Data(payload)))
    }

    func send(_ frame: MockHTTP2Frame, on stream: UInt32 = 0) throws { try raw.send(frame.encoded(on: stream)) }

    /// Sends HEADERS, and the body as one DATA frame.
    @discardableResult
    func request(
        _ method: String = "GET", _ path: String = "/", fields: [HPACKField] = [], body: Data? = nil, ends: Bool = true
    ) throws -> UInt32 {
        let head = [
            HPACKField(":method", method), HPACKField(":scheme", "http"), HPACKField(":authority", "test"),
            HPACKField(":path", path),
        ]
        return try request(head + fields, body: body, ends: ends)
    }

    @discardableResult
    func request(_ fields: [HPACKField], body: Data? = nil, ends: Bool = true) throws -> UInt32 {
        defer { nextStream += 2 }
        let end = ends ? MockHTTP2Frame.endStream : 0
        let flags = MockHTTP2Frame.endHeaders | (body == nil ? end : 0)
        try send(MockHTTP2Frame(.headers, flags: flags, payload: Data(encoder.encode(fields))), on: nextStream)
        if let body { try send(MockHTTP2Frame(.data, flags: end, payload: body), on: nextStream) }
        return nextStream
    }

    /// The next frame, of whatever type.
    func next() throws -> Frame {
        let bytes = try raw.read(HTTP2FrameHeader.size)
        guard let header = bytes.withUnsafeBytes(HTTP2FrameHeader.init) else {
            throw RawConnection.Failure(description: "no header")
        }
        return Frame(header: header, payload: try raw.read(header.length))
    }

    /// The next frame of that type; others are dropped.
    func next(_ kind: MockHTTP2Frame.Kind) throws -> Frame {
        while true {
            let frame = try next()
            if frame.kind == kind { return frame }
        }
    }

    /// All frames up to the end of some streams. Windows are not extended.
    func responses(_ streams: [UInt32]) throws -> [UInt32: Response] {
        var open = Set(streams)
        var responses: [UInt32: Response] = [:]
        while !open.isEmpty {
            let frame = try next()
            let id = frame.header.stream
            responses[id, default: Response()].frames.append(frame)
            switch frame.kind {
            case .headers:
                var block = [UInt8](frame.payload)
                var last = frame
                while !last.header.has(MockHTTP2Frame.endHeaders) {
                    last = try next()
                    guard last.kind == .continuation, last.header.stream == id else {
                        throw RawConnection.Failure(description: "\(last) in a field block")
                    }
                    responses[id]?.frames.append(last)
                    block += last.payload
                }
                responses[id]?.heads.append(try decoder.decode(block).fields)
            case .data: responses[id]?.body += frame.payload
            case .reset:
                responses[id]?.reset = TransportError.HTTP2Code(rawValue: frame.number(at: 0))
                open.remove(id)
            default: break
            }
            if frame.endsStream, frame.kind == .headers || frame.kind == .data { open.remove(id) }
        }
        return responses
    }

    func response(_ stream: UInt32) throws -> Response { try responses([stream])[stream] ?? Response() }

    /// A request and its response.
    func get(_ path: String = "/", fields: [HPACKField] = []) throws -> Response {
        try response(request("GET", path, fields: fields))
    }
}

extension MockServer {
    /// A plain server that takes HTTP/2 by prior knowledge.
    static func http2(
        _ settings: MockHTTP2Settings = MockHTTP2Settings(), _ handler: @escaping Handler = { _ in .notFound }
    ) throws -> MockServer { try MockServer(httpVersions: .automatic, http2: settings, handler) }

    /// Lets a client of HTTP/2 talk to the server, once it has begun.
    func frames<Result: Sendable>(
        settings: [UInt16: UInt32] = [:], _ body: @escaping @Sendable (FrameConnection) throws -> Result
    ) async throws -> Result {
        try await talk { raw in
            let connection = FrameConnection(raw)
            try connection.begin(settings: settings)
            return try body(connection)
        }
    }
}
