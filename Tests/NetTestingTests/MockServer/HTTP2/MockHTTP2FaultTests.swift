import FaultLab
import Testing

@testable import NetTesting

/// What a client sees of each fault, frame by frame.
struct MockHTTP2FaultTests {
    private let server: MockServer
    init() throws { server = try MockServer.http2() }

    /// What came for one request, behind the server's SETTINGS.
    struct Sighting: Sendable {
        var frames: [FrameConnection.Frame] = []
        /// What came when the frames could not be read any more, or all that came for faults that are no frames.
        var rest = Data()
        var ending: RawConnection.Ending?

        /// The frames of the fault: those behind the part of the response that the point lets through.
        func behind(_ point: MockHTTP2Fault.Point) -> [FrameConnection.Frame] { Array(frames.dropFirst(point.frames)) }
    }

    private static let body = Data(String(repeating: "0123456789", count: 10).utf8)

    private static func isBytes(_ fault: MockHTTP2Fault) -> Bool { fault == .garbage || fault == .http1Response }

    /// Asks once, and reads up to the end of the stream or of the connection, or 300 frames.
    private func provoke(_ fault: MockHTTP2Fault, at point: MockHTTP2Fault.Point) async throws -> Sighting {
        server.enqueue(.data(Self.body).fault(http2: fault, at: point))
        return try await server.frames { connection in
            var seen = Sighting()
            // Answered, so that what follows is the response.
            _ = try connection.next(.settings)
            _ = try connection.next(.settings)
            let stream = try connection.request()
            while seen.frames.count < 300 {
                if Self.isBytes(fault), seen.frames.count == point.frames {
                    seen.rest = try connection.raw.read(fault == .garbage ? 100 : 43)
                    break
                }
                if fault == .missingEnd, seen.frames.count == point.frames { connection.raw.setPatience(0.1) }
                do { seen.frames.append(try connection.next()) } catch is RawConnection.Failure {
                    seen.ending = try connection.raw.readToEnd().ending
                    break
                }
                guard let last = seen.frames.last, last.header.stream == stream else { continue }
                let isEnd = last.endsStream && (last.kind == .data || last.kind == .headers)
                if fault == .dataAfterEnd, seen.frames.filter(\.endsStream).count < 2 { continue }
                if isEnd || last.kind == .reset && fault != .flood(.reset) { break }
            }
            return seen
        }
    }

    /// What must have come, for a fault that is one frame or more.
    private func isEvidence(_ frames: [FrameConnection.Frame], of fault: MockHTTP2Fault) -> Bool {
        guard let first = frames.first else { return false }
        let number = first.payload.count >= 4 ? first.number(at: 0) as UInt32 : 0
        switch fault {
        case _ where MockHTTP2Fault.resets.contains(fault):
            return first.kind == .reset && fault == .reset(TransportError.HTTP2Code(rawValue: number))
        case _ where fault.description.hasPrefix("goAway"):
            let code: TransportError.HTTP2Code = fault == .goAway(.internalError) ? .internalError : .noError
            return first.kind == .goAway && first.number(at: 4) == code.rawValue && first.stream == 0
        case .oversizedFrame: return first.kind == .data && first.payload.count == 16_385
        case .badFrameLength: return first.kind == .windowUpdate && first.payload.count == 3
        case .dataOnIdleStream: return first.kind == .data && first.stream == 1_001
        case .dataAfterEnd:
            let data = frames.filter { $0.kind == .data }
            return data.map(\.endsStream) == [true, true] && data.last?.payload.isEmpty == false
        case .dataBeyondWindow(.stream), .dataBeyondWindow(.connection):
            // More than the windows of 65,535 bytes.
            return frames.prefix { !$0.endsStream }.reduce(0) { $0 + $1.payload.count } > 65_535
        case .badSetting: return first.kind == .settings && first.payload == Data([0, 4, 0x80, 0, 0, 0])
        case .zeroWindowUpdate(.stream), .zeroWindowUpdate(.connection):
            let isOfConnection = fault == .zeroWindowUpdate(.connection)
            return first.kind == .windowUpdate && number == 0 && (first.stream == 0) == isOfConnection
        case .windowOverflow(.stream), .windowOverflow(.connection):
            return frames.prefix(2).allSatisfy {
                $0.kind == .windowUpdate && $0.number(at: 0) == UInt32(Int32.max)
                    && ($0.stream == 0) == (fault == .windowOverflow(.connection))
            }
        case .unknownFrame: return first.kind.rawValue == 0xFA
        case .pushPromise: return first.kind == .pushPromise && number == 2 && first.stream == 1
        case .badHuffman, .badIndex:
            var decoder = HPACKDecoder()
            return first.kind == .headers && (try? decoder.decode(Array(first.payload))) == nil
        default: return false
        }
    }

    private static let singular: [MockHTTP2Fault] =
        MockHTTP2Fault.resets + MockHTTP2Fault.violations.filter { !isBytes($0) } + [
            .unknownFrame, .goAway(.noError), .goAway(.noError, last: .current), .goAway(.noError, last: .previous),
            .goAway(.noError, last: .id(0)), .goAway(.internalError),
        ]

    @Test(arguments: singular, MockHTTP2Fault.Point.examples)
    func sendsTheFault(_ fault: MockHTTP2Fault, _ point: MockHTTP2Fault.Point) async throws {
        let seen = try await provoke(fault, at: point)
        #expect(isEvidence(seen.behind(point), of: fault), "\(seen.frames)")
        var decoder = HPACKDecoder()
        if point != .beforeHead {
            let head = try decoder.decode(Array(try #require(seen.frames.first).payload)).fields
            #expect(head.first?.value == "200")
            #expect(!head.contains { $0.name == "content-length" })
        }
        if case .afterBody(let count) = point {
            #expect(seen.frames[1].kind == .data && seen.frames[1].payload == Self.body.prefix(count))
            #expect(!seen.frames[1].endsStream)
        }
        #expect(server.requests.count == 1 && server.protocolErrors.isEmpty)
    }

    @Test(arguments: [MockHTTP2Fault.garbage, .http1Response], MockHTTP2Fault.Point.examples)
    func sendsBytesThatAreNotAFrame(_ fault: MockHTTP2Fault, _ point: MockHTTP2Fault.Point) async throws {
        let seen = try await provoke(fault, at: point)
        #expect(
            fault == .garbage
                ? seen.rest == Data(repeating: 0xFF, count: 100) : seen.rest.starts(with: Data("HTTP/1.1 200".utf8)))
    }

    @Test(arguments: [MockHTTP2Fault.close, .resetConnection, .missingEnd], MockHTTP2Fault.Point.examples)
    func endsWithoutEndStream(_ fault: MockHTTP2Fault, _ point: MockHTTP2Fault.Point) async throws {
        let seen = try await provoke(fault, at: point)
        #expect(seen.ending == (fault == .close ? .closed : fault == .missingEnd ? .silence : .reset))
        #expect(seen.frames.filter(\.endsStream).isEmpty)
        #expect(seen.frames.map(\.kind) == Array([.headers, .data].prefix(point.frames)))
    }

    /// A fault of the connection ends the other streams too.
    @Test(arguments: [
        (MockHTTP2Fault.close, false), (.goAway(.internalError), false), (.goAway(.noError, last: .current), true),
        (.reset(.internalError), true), (.missingEnd, true), (.unknownFrame, true),
    ]) func otherStreamsSurviveAFaultOfOneStream(_ fault: MockHTTP2Fault, _ spares: Bool) async throws {
        // A neighbour that ends with the connection is far from its own end, however slow this machine is.
        let pause = MockResponse.Piece.pause(spares ? 0.1 : 10)
        server.on(
            "/neighbour", MockResponse(body: .stream([.bytes(Data("first".utf8)), pause, .bytes(Data("last".utf8))])))
        server.on("/fault", .data(Self.body).fault(http2: fault, at: .afterBody(40)))
        let text = try await server.frames { connection in
            let neighbour = try connection.request("GET", "/neighbour")
            _ = try connection.next(.data)
            try connection.request("GET", "/fault")
            return try? connection.response(neighbour).text
        }
        #expect(text == (spares ? "last" : nil))
    }

    @Test func goAwayNamesTheLastProcessedStream() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        server.on("/first") { _ in
            for await _ in gate {}
            return .text("done")
        }
        server.on("/second", .text("never").fault(http2: .goAway(.noError, last: .previous), at: .beforeHead))
        try await server.frames { connection in
            let first = try connection.request("GET", "/first")
            try connection.request("GET", "/second")
            let goAway = try connection.next(.goAway)
            opener.finish()
            #expect(goAway.number(at: 0) == first)
            #expect(try connection.response(first).text == "done")
            #expect(try connection.raw.readToEnd().data.isEmpty)
        }
    }

    @Test func hasALengthOnlyIfAsked() async throws {
        server.enqueue(
            MockResponse.data(Self.body).header("Content-Length", "100").fault(
                http2: .reset(.noError), at: .afterBody(40)),
            MockResponse.ok.fault(http2: .reset(.noError), at: .afterBody(.max)))
        try await server.frames { connection in
            let first = try connection.get()
            #expect(first["content-length"] == "100" && first.body.count == 40 && first.reset == .noError)
            let second = try connection.get()
            #expect(second["content-length"] == nil && second.body.count == 1_000 && second.reset == .noError)
        }
    }

    /// Bodies are made in blocks of 64 KB.
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func cutsTheBodyAtTheGivenByte(_ count: Int) async throws {
        server.enqueue(
            .bytes(count: 150_000).fault(http2: .reset(.cancel), at: .afterBody(count)),
            .bytes(count: 150_000).fault(http2: .unknownFrame, at: .afterBody(count)))
        try await server.frames(settings: [4: 1 << 20]) { connection in
            try connection.send(MockHTTP2Frame(.windowUpdate, payload: Data(UInt32(1 << 20).bigEndianBytes)))
            let cut = try connection.get()
            #expect(cut.body == MockResponse.generatedBytes(count: min(count, 150_000)) && cut.reset == .cancel)
            #expect(try connection.get().body == MockResponse.generatedBytes(count: 150_000))
        }
    }

    @Test func waitsBeforeTheFault() async throws {
        server.enqueue(
            .data(Self.body).fault(http2: .reset(.noError), at: .afterBody(40), after: 2), .text("meanwhile"))
        try await server.frames { connection in
            let streams = [try connection.request(), try connection.request()]
            let seen = try connection.responses([streams[1]])
            #expect((seen[streams[1]]?.text, seen[streams[0]]?.reset) == ("meanwhile", nil))
            #expect(try connection.next(.reset).header.stream == streams[0])
        }
    }

    private static let kinds: [(MockHTTP2Fault, MockHTTP2Frame.Kind)] = Array(
        zip(
            MockHTTP2Fault.floods,
            [.settings, .ping, .data, .reset, .priority, .windowUpdate, .continuation, .continuation]))

    @Test(arguments: kinds, MockHTTP2Fault.Point.examples)
    func floods(_ flood: (fault: MockHTTP2Fault, kind: MockHTTP2Frame.Kind), _ point: MockHTTP2Fault.Point) async throws
    {
        let seen = try await provoke(flood.fault, at: point)
        let frames = seen.behind(point)
        #expect(frames.first?.kind == (flood.kind == .continuation ? .headers : flood.kind))
        #expect(frames.dropFirst().allSatisfy { $0.kind == flood.kind && !$0.endsStream })
        #expect(seen.frames.count == 300)
    }

    @Test func endsAFloodThatHasANumber() async throws {
        server.enqueue(
            .text("behind").fault(http2: .flood(.ping, frames: 1_000)),
            .text("block").fault(http2: .continuationFlood(frames: 10), at: .beforeHead))
        try await server.frames { connection in
            let response = try connection.responses([try connection.request()])
            #expect((response[0]?.frames.filter { $0.kind == .ping }.count, response[1]?.text) == (1_000, "behind"))
            let block = try connection.get()
            #expect(block.heads[0].count == 11 && block.frames.filter { $0.kind == .continuation }.count == 11)
            #expect(block.text == "block")
        }
    }

    /// Nothing may stand in a field block, also not the frames of others.
    @Test func keepsFieldBlocksTogether() async throws {
        server.on("/flood", .ok.fault(http2: .continuationFlood(frames: 20_000), at: .beforeHead))
        server.on("/other", .bytes(count: 10_000))
        try await server.frames { connection in
            let streams = [try connection.request("GET", "/flood"), try connection.request("GET", "/other")]
            // The block is longer than what the sockets hold: the server reads this in the middle of it.
            while try connection.next().kind != .continuation {}
            try connection.send(MockHTTP2Frame(.ping, payload: Data(count: 8)))
            var last = try connection.next()
            while !last.header.has(MockHTTP2Frame.endHeaders) {
                last = try connection.next()
                #expect(last.kind == .continuation)
            }
            #expect(try connection.next(.ping).header.flags == 1)
            #expect(try connection.responses(streams)[streams[1]]?.body.count == 10_000)
        }
    }

    /// Faults are compared by their descriptions, so that two faults must not share one.
    @Test func describesEachFaultInItsOwnWords() {
        let all =
            MockHTTP2Fault.allCases + MockHTTP2Fault.floods + [
                .flood(.ping, frames: 1), .frames([.ping]), .frames([.ping, .ping]), .frames([.emptyData]),
                .frames([MockHTTP2Frame(.data, stream: 0)]), .raw(Data([1])), .raw(Data([2])), .largeHeaders(bytes: 1),
            ]
        // The flood of PING stands in both lists.
        #expect((Set(all).count, Set(all.filter(\.isEndless))) == (all.count - 1, Set(MockHTTP2Fault.floods)))
    }

    @Test(arguments: MockFault.allCases) func sendsFaultsOfHTTP1OverHTTP2(_ fault: MockFault) async throws {
        let first = fault.point == .onAccept || fault.point == .beforeRequest
        server.enqueue(first ? [.fault(fault)] : [.text("before"), .fault(fault)])
        let (frames, ending) = try await server.talk { raw -> ([FrameConnection.Frame], RawConnection.Ending?) in
            var frames: [FrameConnection.Frame] = []
            do {
                let connection = FrameConnection(raw)
                if fault.point != .onAccept {
                    // Windows that nothing here fills.
                    try connection.begin(settings: [4: UInt32(Int32.max)])
                    try connection.send(MockHTTP2Frame(.windowUpdate, payload: Data(UInt32(1 << 30).bigEndianBytes)))
                    if !first { _ = try connection.get() }
                    try connection.request("POST", "/", body: Data("hello".utf8))
                }
                while frames.count < (fault.isEndless ? 50 : 1_000) {
                    // The silence begins behind what is sent before it.
                    let isStalled = fault.point != .inBody || Self.bodyBytes(frames) == 500
                    if fault.isEndless, fault.point != nil, isStalled { raw.setPatience(2) }
                    frames.append(try connection.next())
                    if frames.last?.endsStream == true, frames.last?.stream == 3 { return (frames, nil) }
                }
            } catch is RawConnection.Failure { return (frames, try raw.readToEnd().ending) }
            return (frames, nil)
        }
        let isCut = fault == .truncatedBody || fault == .truncatedChunkedBody
        #expect(ending == (isCut ? .closed : fault.ending))
        if fault.action == nil {
            #expect(fault.isEndless ? frames.count == 50 : isCut || frames.last?.endsStream == true)
        }
        if fault.point == .inBody { #expect(Self.bodyBytes(frames) == 500) }
    }

    private static func bodyBytes(_ frames: [FrameConnection.Frame]) -> Int {
        frames.filter { $0.kind == .data }.reduce(0) { $0 + $1.payload.count }
    }
}

extension MockHTTP2Fault.Point {
    /// How many frames of the response it lets through.
    fileprivate var frames: Int { self == .beforeHead ? 0 : self == .afterHead ? 1 : 2 }
}
