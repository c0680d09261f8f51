#if os(Linux)
    import NetCore
    import TestLab
    import Testing

    @testable import NetTransport

    /// Our parser and three others read the same responses: generated ones, and those of ``PublicCase``. ``KnownDifference`` explains each
    /// difference.
    @Suite struct DifferentialTests {
        static let responses = ResponseGenerator.responses(Volume.pick(quick: 6000, full: 24_000), seed: 31)

        @Test func generatorMakesValidAndInvalidResponses() {
            let (accepted, count) = (Self.responses.count { ParserVerdict.ours($0) != nil }, Self.responses.count)
            #expect(accepted > count * 4 / 10 && accepted < count * 7 / 10)
            #expect(Set(Self.responses.flatMap(\.steps)).isSuperset(of: ResponseChange.faults.map(\.name)))
        }

        @Test(.requires(.pythonPackages)) func h11DifferencesAreKnown() async throws { try await compare(with: .h11) }

        @Test(.requires(.node)) func llhttpDifferencesAreKnown() async throws {
            try await compare(with: .llhttp, PublicCase.all)
        }

        @Test(.requires(.go)) func goNetHTTPDifferencesAreKnown() async throws {
            try await compare(with: .netHTTP, PublicCase.all)
        }

        private func compare(with peer: PeerParser, _ cases: [PublicCase] = []) async throws {
            let responses = Self.responses + cases.map(\.response)
            let ours = responses.map { ParserVerdict.ours($0) }
            let comparison = Comparison(with: peer, try await peer.parse(responses), of: responses, ours: ours)
            #expect(comparison.unexplained.prefix(10) == [] && comparison.unusedRows == [])
        }
    }

    /// How a verdict of ours differs from a peer's.
    enum DifferenceKind: String, CaseIterable {
        case weRefuse, theyRefuse, status, body, trailers
        /// Only one of both would use the connection again.
        case weReuse, theyReuse

        static func between(_ ours: ParserVerdict?, _ theirs: ParserVerdict?) -> [DifferenceKind] {
            guard let ours, let theirs else { return ours != nil ? [.theyRefuse] : theirs != nil ? [.weRefuse] : [] }
            var kinds: [DifferenceKind] = []
            if ours.status != theirs.status { kinds.append(.status) }
            if ours.body != theirs.body { kinds.append(.body) }
            if ours.trailers != theirs.trailers { kinds.append(.trailers) }
            if ours.isReusable != theirs.isReusable { kinds.append(ours.isReusable ? .weReuse : .theyReuse) }
            return kinds
        }
    }

    /// The differences between our verdicts and those of a peer, after ``KnownDifference``.
    private struct Comparison {
        /// Differences that no row explains.
        private(set) var unexplained: [String] = []
        /// Rows, with the kind of difference, without which each difference has an explanation too. With few responses, a row needs one of
        /// its kinds only.
        private(set) var unusedRows: [String] = []

        init(with peer: PeerParser, _ theirs: [ParserVerdict?], of texts: [GeneratedResponse], ours: [ParserVerdict?]) {
            var used: [String: Set<DifferenceKind>] = [:]
            for index in texts.indices {
                let kinds = DifferenceKind.between(ours[index], theirs[index])
                guard !kinds.isEmpty else { continue }
                let text = ResponseText(texts[index])
                for kind in kinds {
                    let rows = KnownDifference.all.filter { $0.explains(kind, peer, text) }
                    if rows.isEmpty { unexplained.append("\(kind): \(texts[index])") }
                    if rows.count == 1 { used[rows[0].name, default: []].insert(kind) }
                }
            }
            for row in KnownDifference.all {
                guard let kinds = row.peers[peer] else { continue }
                let unused = kinds.subtracting(used[row.name] ?? [])
                if Volume.isFull || unused == kinds { unusedRows += unused.map { "\(row.name): \($0)" } }
            }
        }
    }

    extension KnownDifference {
        fileprivate func explains(_ kind: DifferenceKind, _ peer: PeerParser, _ text: ResponseText) -> Bool {
            peers[peer]?.contains(kind) == true && applies(text)
        }
    }

    /// A parser of another project, in a program of Tests/Parsers.
    ///
    /// The program reads for each response: a byte that is 1 if it answers HEAD, the length in four bytes, and the response. It writes its
    /// name and version, and for each response a line: `-` if it is refused, or the status, 1 if the connection may be used again, a full
    /// stop and the body, and a full stop and the trailers (`name:value` and LF, the names in lower case), both in hexadecimal digits.
    enum PeerParser: String, CaseIterable {
        case h11, llhttp
        case netHTTP = "net/http"

        /// The versions that ``KnownDifference/all`` describes, by their beginning.
        var tableVersion: String {
            switch self {
            case .h11: "0.16."
            case .llhttp: "9.3."
            case .netHTTP: "1.19."
            }
        }

        /// The verdicts, or nil for a response that is refused. Cancels the current test if another version is installed than ``tableVersion``.
        func parse(_ responses: [GeneratedResponse]) async throws -> [ParserVerdict?] {
            var input = Data()
            for response in responses {
                input.append(response.isHead ? 1 : 0)
                withUnsafeBytes(of: UInt32(response.bytes.count).bigEndian) { input.append(contentsOf: $0) }
                input.append(contentsOf: response.bytes)
            }
            let folder = try TemporaryDirectory()
            let (program, arguments) = try await command(in: folder)
            let output = try await ProcessRunner.run(program, arguments, input: input, timeLimit: 120).checked().text
            let lines = output.split(separator: "\n")
            guard lines.count == responses.count + 1, let version = lines[0].split(separator: " ").last else {
                throw LabError("\(rawValue) wrote \(lines.count) lines for \(responses.count) responses.")
            }
            guard version.hasPrefix(tableVersion) else {
                let missing = "missing: \(rawValue) \(tableVersion)x (\(version) is installed)"
                #if compiler(>=6.3)
                    try Test.cancel("\(missing)")
                #else
                    throw LabError(missing)
                #endif
            }
            return lines.dropFirst().map { ParserVerdict(line: $0) }
        }

        private func command(in folder: TemporaryDirectory) async throws -> (program: String, arguments: [String]) {
            switch self {
            case .h11: return (try Tool.pythonPackages.path(), [Self.file("h11_parser.py")])
            case .llhttp: return (try Tool.node.path(), ["--no-deprecation", Self.file("llhttp_parser.js")])
            case .netHTTP:
                let program = folder.file("http_parser").path
                // Go compiles its standard library for the first time within half a minute.
                try await ProcessRunner.run(
                    Tool.go.path(), ["build", "-o", program, Self.file("http_parser.go")],
                    environment: ["CGO_ENABLED": "0", "GO111MODULE": "off", "GOFLAGS": "", "GOTOOLCHAIN": "local"],
                    timeLimit: 300
                ).checked()
                return (program, [])
            }
        }

        private static func file(_ name: String) -> String {
            let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()
            return "\(root)/Tests/Parsers/\(name)"
        }
    }

    /// What a parser makes of a response after which the connection is closed.
    struct ParserVerdict: Equatable {
        /// The status of the final response.
        var status: Int
        /// Whether the connection may be used again, if it is not closed after all.
        var isReusable: Bool
        var body: [UInt8]
        /// `name:value`, in the order of the text.
        var trailers: [String]
    }

    extension ParserVerdict {
        /// The verdict of our parser, or nil if it refuses the response.
        static func ours(_ response: GeneratedResponse) -> ParserVerdict? {
            ours(FeedOutcome(response.bytes, isHead: response.isHead, pieces: [response.bytes.count]))
        }

        static func ours(_ outcome: FeedOutcome) -> ParserVerdict? {
            var verdict = ParserVerdict(status: 0, isReusable: outcome.isReusable, body: [], trailers: [])
            for event in outcome.events {
                switch event {
                case .interim: break
                case .head(let status, _, _): verdict.status = status
                case .upgrade: verdict.status = 101
                case .body(let text): verdict.body += latin1(text)
                case .end(let trailers):
                    verdict.trailers = lines(of: trailers ?? "")
                    return verdict
                case .failure: return nil
                }
            }
            return nil
        }

        private static func lines(of trailers: String) -> [String] {
            latin1(trailers).withUnsafeBytes { HeaderBlockParser.fieldLines(in: $0) }
                .map { "\($0.name.lowercased()):\($0.value)" }.sorted()
        }

        /// Reads a line that a peer wrote.
        init?(line: Substring) {
            let words = line.split(separator: " ")
            guard words.count == 4, let status = Int(words[0]) else { return nil }
            let trailers = Self.bytes(words[3]).split(separator: 0x0A)
                .map { String(validating: $0, as: UTF8.self) ?? latin1($0) }.sorted()
            self.init(status: status, isReusable: words[1] == "1", body: Self.bytes(words[2]), trailers: trailers)
        }

        /// The bytes of hexadecimal digits after a full stop.
        private static func bytes(_ word: Substring) -> [UInt8] {
            var digits = word.utf8.dropFirst().makeIterator()
            var bytes: [UInt8] = []
            while let high = digits.next()?.hexadecimalDigit, let low = digits.next()?.hexadecimalDigit {
                bytes.append(high << 4 | low)
            }
            return bytes
        }
    }
#endif
