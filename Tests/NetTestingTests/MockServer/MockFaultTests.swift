import Testing

@testable import NetTesting

/// What a client sees of each fault.
struct MockFaultTests {
    private let server: MockServer
    init() throws { server = try MockServer() }

    struct Sighting: Sendable {
        /// The first of it: searching megabytes takes its time in a debug build.
        var text: String
        var count: Int
        var ending: RawConnection.Ending?

        /// What stands behind the header fields; nil if they have no end.
        var body: String? { text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } }
    }

    /// Sends what the fault wants to see, and reads until the end, until silence, or until it is enough.
    private func provoke(_ server: MockServer, _ fault: MockFault) async throws -> Sighting {
        try await server.talk { connection in
            switch fault.point {
            case .onAccept: break
            case .inRequestBody:
                try connection.send("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf!")
            default: try connection.request("GET /", headers: ["Connection: close"])
            }
            var data = Data()
            if fault.action == .stall {
                // Waits for what must come as long as it takes, and then a moment for what must not.
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n"
                let expected: [MockFault.Point: Int] = [.inHeaders: head.count / 2, .inBody: head.count + 500]
                data = try connection.readToEnd(limit: fault.point.flatMap { expected[$0] } ?? 0).data
                connection.setPatience(0.1)
            }
            let (rest, ending) = try connection.readToEnd(limit: fault.isEndless ? 3_000_000 : .max)
            data += rest
            return Sighting(
                text: String(decoding: data.prefix(4_000), as: UTF8.self), count: data.count, ending: ending)
        }
    }

    @Test(arguments: MockFault.allCases.filter { $0.point != nil })
    func strikesWhereItShould(_ fault: MockFault) async throws {
        server.enqueue(.fault(fault), .text("next"))
        let seen = try await provoke(server, fault)
        #expect(fault.ending != nil && seen.ending == fault.ending)
        switch fault.point {
        case .inHeaders:
            #expect(seen.text.hasPrefix("HTTP/1.1 200 OK\r\n") && seen.body == nil)
        case .inBody:
            #expect(seen.text.contains("\r\nContent-Length: 1000\r\n") && seen.body?.count == 500)
        default: #expect(seen.text.isEmpty)
        }
        let isRecorded = fault.point != .onAccept && fault.point != .beforeRequest
        if isRecorded { #expect(try await server.takeRequest().isBodyComplete == (fault.point != .inRequestBody)) }
        #expect(server.requests.count == (isRecorded ? 1 : 0))
        // The client is gone, and the fault took one response of the script only.
        try await server.waitForOpenConnections()
        #expect(try await server.rawAnswer().hasSuffix("next"))
    }

    @Test(arguments: MockFault.allCases.filter { $0.point != nil })
    func strikesFromAHandlerToo(_ fault: MockFault) async throws {
        let server = try MockServer { _ in .fault(fault) }
        let seen = try await server.talk(patience: fault.isEndless ? 0.1 : 20) { connection in
            try connection.request("GET /")
            return try connection.readToEnd()
        }
        #expect(fault.ending != nil && seen.ending == fault.ending)
    }

    @Test func cutsTheBodyThatItWasGiven() async throws {
        server.enqueue(MockResponse.text("0123456789").fault(.close(.inBody)))
        server.enqueue(MockResponse.chunked(["0123456789"]).fault(.close(.inBody)))
        #expect(try await server.rawAnswer().hasSuffix("\r\n\r\n01234"))
        #expect(try await server.rawAnswer().hasSuffix("\r\n\r\na\r\n0123456"))
    }

    @Test func breaksTheRulesOfHTTP() async throws {
        var seen: [MockFault: Sighting] = [:]
        for fault in MockFault.malformedResponses {
            server.enqueue(.fault(fault))
            seen[fault] = try await provoke(server, fault)
        }
        for (fault, sighting) in seen {
            #expect(fault.isEndless ? sighting.count >= 3_000_000 : sighting.ending == .closed, "\(fault)")
        }
        let text = { (fault: MockFault) in seen[fault]?.text ?? "" }
        #expect(text(.truncatedBody).contains("Content-Length: 1000\r\n"))
        #expect(seen[.truncatedBody]?.body?.count == 500)
        #expect(text(.truncatedChunkedBody).contains("Transfer-Encoding: chunked\r\n"))
        #expect(seen[.truncatedChunkedBody]?.body?.hasPrefix("3e8\r\nABC") == true)
        #expect(text(.truncatedChunkedBody).hasSuffix("0\r\n\r\n") == false)
        #expect(seen[.badChunkSize]?.body?.hasPrefix("5\r\nfirst\r\nxyz\r\n") == true)
        #expect(!text(.garbageStatusLine).hasPrefix("HTTP/"))
        #expect(text(.malformedHeader).contains("\r\nthis field has no colon\r\n"))
        #expect(seen[.endlessHeaders]?.body == nil)
        #expect(text(.endlessInterimResponses).hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"))
        #expect(!text(.endlessBody).contains("Content-Length") && !text(.endlessBody).contains("chunked"))
        #expect(text(.conflictingContentLengths).contains("Content-Length: 1000\r\nContent-Length: 999\r\n"))
        #expect(seen[.decompressionBomb]?.count ?? 0 > 6_700_000)
    }
}

extension MockFault {
    /// How the connection ends for a client, by the action of the fault.
    var ending: RawConnection.Ending? {
        switch action {
        case .close, .halfClose: .closed
        case .reset: .reset
        case .stall: .silence
        case nil: nil
        }
    }
}
