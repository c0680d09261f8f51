import NetTesting
import NetTransfer
import TestLab
import Testing

/// False responses of a server result in the correct file, or none.
@Suite(.timeLimit(.minutes(5))) struct FalseResponseTests {
    private let bench: DownloadBench
    init() throws { bench = try DownloadBench() }

    enum Lie: String, CaseIterable, Sendable {
        case otherRange, rangeFromZero, rangeTooFar, noContentRange, malformedContentRange, twoContentRanges, otherUnit
        case multipleParts, otherTotal, otherTag, weakTag, shortBody, shortBodyChunked, moreThanSaid, ignoresRange, gzip
        case ignoresIfRange, partForWhole, otherDigest, otherContentDigest, rangeNotSatisfiable, backwardsRange
        case hugeRange, noContent
        /// Whether even what follows cannot be honest, so that the download has to fail.
        var isFatal: Bool { self == .partForWhole || self == .gzip || self == .noContent }

        func response(to request: RecordedRequest, from honest: MockResponse) -> MockResponse {
            var answer = honest
            let isPart = honest.status == 206
            func field(_ name: String, _ value: String?) { if isPart { answer.headers[name] = value } }
            func contentRange(_ value: String?) { field("Content-Range", value) }
            func body(_ data: Data) { if isPart { answer.body = .data(data) } }
            func part(_ range: String, of count: Int) {
                contentRange("bytes \(range)")
                body(Data(repeating: 1, count: count))
            }
            switch self {
            case .otherRange: part("60000-99999/100000", of: 40_000)
            case .rangeFromZero: part("0-99999/100000", of: 100_000)
            case .rangeTooFar: part("50000-109999/110000", of: 60_000)
            case .noContentRange: contentRange(nil)
            case .malformedContentRange: contentRange("bytes 50000-99999")
            case .twoContentRanges:
                if isPart { answer.headers.append(name: "Content-Range", value: "bytes 0-49999/100000") }
            case .otherUnit: contentRange("lines 50000-99999/100000")
            case .multipleParts:
                contentRange(nil)
                answer.headers["Content-Type"] = "multipart/byteranges; boundary=x"
            case .otherTotal: contentRange("bytes 50000-99999/100001")
            case .otherTag, .weakTag:
                field("ETag", self == .otherTag ? "\"v2\"" : "W/\"v1\"")
                body(Data(repeating: 1, count: 50_000))
            case .shortBody:
                contentRange("bytes 50000-99999/100000")
                if isPart { answer.body = .data(pattern(100_000)[50_000..<60_000]) }
            case .shortBodyChunked:
                if isPart { answer = answer.framed(.chunked) }
                // True as far as it goes: each answer ends early.
                if case .data(let rest) = answer.body { body(rest.prefix(10_000)) }
            case .moreThanSaid:
                if isPart { answer = answer.framed(.chunked) }
                body(pattern(100_000)[50_000...] + Data(repeating: 1, count: 10))
            case .ignoresRange, .ignoresIfRange:
                if isPart { return FileServer.answer(request, Data(repeating: 2, count: 70_000), tag: "\"v3\"") }
            case .partForWhole: (answer.status, answer.headers["Content-Range"]) = (206, "bytes 0-99999/100000")
            case .gzip: answer.headers["Content-Encoding"] = "gzip"
            case .otherDigest:
                field("Repr-Digest", FalseResponseTests.wrongDigest)
                body(Data(repeating: 1, count: 50_000))
            case .otherContentDigest:
                let digest = Data(SHA256.digest(pattern(100_000)[50_000...]))
                field("Content-Digest", "sha-256=:\(digest.base64EncodedString()):")
                body(Data(repeating: 1, count: 50_000))
            case .rangeNotSatisfiable:
                if isPart { return MockResponse.status(416, headers: ["Content-Range": "bytes */70000"]) }
            case .backwardsRange: contentRange("bytes 99999-50000/100000")
            case .hugeRange: contentRange("bytes 50000-99999999999999999999999/99999999999999999999999999")
            case .noContent: return .noContent
            }
            return answer
        }
    }

    private static let digest = "sha-256=:\(Data(SHA256.digest(pattern(100_000))).base64EncodedString()):"
    private static let wrongDigest = "sha-256=:\(Data(repeating: 9, count: 32).base64EncodedString()):"

    @Test(arguments: Lie.allCases) func falseResponseNeverBecomesAFile(_ lie: Lie) async throws {
        let data = pattern(100_000)
        let server = try FileServer(data) { request, number, honest in
            var honest = honest
            if lie == .otherDigest { honest.headers["Repr-Digest"] = Self.digest }
            return number == 0 && !lie.isFatal ? honest.cut : lie.response(to: request, from: honest)
        }
        let response = await bench.outcome(of: server.url)
        guard !lie.isFatal else { return #expect(try response.value == nil && bench.isClean(with: [])) }
        // A server that has the file gets it across.
        let file = try #require(response.value, "\(String(describing: response.failure))")
        let whole = lie == .ignoresRange || lie == .ignoresIfRange ? Data(repeating: 2, count: 70_000) : data
        #expect(try (Data(contentsOf: file), server.ranges[1]) == (whole, "bytes=50000-"))
        #expect(try bench.isClean(with: ["report.bin"]))
    }

    /// The same lies, of a server that drops every connection but the last: what was there before does not make them true.
    @Test(arguments: Lie.allCases) func falseResponseAfterDropsNeverBecomesAFile(_ lie: Lie) async throws {
        guard !lie.isFatal else { return }
        let data = pattern(100_000)
        let server = try FileServer(data) { $1.isMultiple(of: 2) ? $2.cut : lie.response(to: $0, from: $2) }
        if let file = await bench.outcome(of: server.url).value {
            let there = try Data(contentsOf: file)
            #expect(there == data || there == Data(repeating: 2, count: 70_000))
        } else {
            #expect(FileManager.default.fileExists(atPath: bench.file.path) == false)
        }
    }

    @Test(arguments: ["Repr-Digest", "Content-Digest"])
    func wrongDigestFieldFailsTheDownload(_ field: String) async throws {
        let server = try FileServer(pattern(1000)) { _, _, honest in honest.header(field, Self.wrongDigest) }
        #expect(await bench.outcome(of: server.url).error?.downloadCode == .digestMismatch)
        #expect(try bench.isClean(with: []) && server.server.requestCount == 1)
    }

    @Test func matchingDigestFieldIsAccepted() async throws {
        let server = try FileServer(pattern(100_000)) { _, number, honest in
            let answer = honest.header("Repr-Digest", "sha-512=:AAAA:, \(Self.digest)")
            return number == 0 ? answer.cut : answer
        }
        #expect(try await Data(contentsOf: bench.download(server.url)) == pattern(100_000))
    }

    @Test func callersChecksumIsVerified() async throws {
        let server = try FileServer(pattern(1000))
        var options = try Downloader.Options.atOnce { $0.checksum = try .sha256(SHA256.hex(pattern(999))) }
        #expect(await bench.outcome(of: server.url, options).error?.downloadCode == .digestMismatch)
        #expect(try bench.isClean(with: []))
        options.checksum = try .sha256(SHA256.hex(pattern(1000)))
        _ = try await bench.download(server.url, options)
        #expect(try bench.isClean(with: ["report.bin"]))
    }

    /// Two halves of two versions under one tag: only the digest of the whole shows it, and then all is asked for again.
    @Test func checksumMismatchOfAResumedFileStartsOver() async throws {
        let server = try FileServer(pattern(1000)) { request, number, honest in
            number == 0 ? FileServer.answer(request, Data(repeating: 5, count: 1000), tag: "\"v1\"").cut : honest
        }
        _ = try await bench.download(server.url, .atOnce { $0.checksum = try .sha256(SHA256.hex(pattern(1000))) })
        #expect(try Data(contentsOf: bench.file) == pattern(1000) && server.ranges == [nil, "bytes=500-", nil])
    }

    /// As no transport of ours gives it.
    @Test func bodyLongerThanItsLengthIsRefused() async throws {
        let transport = StubTransport { _, _, _ in
            let rest = Locked([pattern(1000), pattern(1000)][...])
            let body = HTTPBody(length: 1000) { rest.withLock { $0.popFirst() } }
            return TransportResponse(status: 200, url: nil, body: body)
        }
        let bench = try DownloadBench(client: NetworkClient(transport: transport))
        #expect(await bench.outcome(of: .example).error?.downloadCode == .contradictoryResponse)
        #expect(try bench.isClean(with: []))
    }

    @Test(arguments: MockFault.allCases.filter { !$0.isEndless })
    func connectionFaultNeverLeavesAWrongFile(_ fault: MockFault) async throws {
        let data = pattern(200_000)
        let server = try FileServer(data) { _, number, honest in number == 0 ? honest.fault(fault) : honest }
        if let file = await bench.outcome(of: server.url).value {
            #expect(try Data(contentsOf: file) == data)
        } else {
            #expect(FileManager.default.fileExists(atPath: bench.file.path) == false)
        }
    }
}
