public import NetCore
public import NetLogging

/// Answers from a HAR file what was recorded, and fails on what was not: real traffic, without the network.
///
/// ```swift
/// // Once, against the real service; what is secret is left out:
/// let recorder = TrafficRecorder()
/// let recording = NetworkClient(callInterceptors: [recorder])
/// _ = try await recording.data(for: URLRequest(url: url))
/// try recorder.archive.write(to: url)
///
/// // In every test:
/// let replay = try ReplayTransport(contentsOf: url)
/// let client = NetworkClient(transport: replay)
/// _ = try await client.data(for: URLRequest(url: url))
/// #expect(replay.unused.isEmpty)
/// ```
///
/// Each entry answers one request, in the order in which they were recorded; of several that match, the first one that has not answered. What
/// a redactor has left out of the recording matches anything, and is what the answer has in its place: give the recorder a
/// `SanitizationConfig` that lets through what your tests have to see.
///
/// HAR files of browsers and proxies will do as well.
public final class ReplayTransport: HTTPTransport {
    /// What of a request has to be as it was recorded.
    public struct Matching: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Options by their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The method.
        public static let method = Matching(rawValue: 1)
        /// Scheme, host and port.
        public static let host = Matching(rawValue: 2)
        /// The path.
        public static let path = Matching(rawValue: 4)
        /// The items of the query, in any order.
        public static let query = Matching(rawValue: 8)
        /// The body: JSON as values, forms as fields in any order, all else byte by byte.
        public static let body = Matching(rawValue: 16)

        /// Host, path and query.
        public static let url: Matching = [.host, .path, .query]
        /// The method and the URL.
        public static let `default`: Matching = [.method, .url]
    }

    private let entries: [HTTPArchive.Entry]
    private let matching: Matching
    private let repeats: Bool
    private let used: Locked<Set<Int>>

    /// A transport that answers from an archive.
    ///
    /// - Parameters:
    ///   - archive: what was recorded.
    ///   - matching: what has to be the same.
    ///   - repeats: whether an entry may answer again when all that match have answered: the last of them does.
    public init(_ archive: HTTPArchive, matching: Matching = .default, repeats: Bool = false) {
        entries = archive.log.entries
        self.matching = matching
        self.repeats = repeats
        used = Locked([])
    }

    /// A transport that answers from a HAR file: see ``init(_:matching:repeats:)``.
    ///
    /// - Throws: `DecodingError` for what is no HAR file, and what reading the file throws.
    public convenience init(contentsOf url: URL, matching: Matching = .default, repeats: Bool = false) throws {
        self.init(try HTTPArchive(contentsOf: url), matching: matching, repeats: repeats)
    }

    /// What was recorded and not asked for so far: `GET https://service.example/user`, in order.
    public var unused: [String] {
        let used = used.withLock { $0 }
        return entries.indices.filter { !used.contains($0) }.map { entries[$0].request.summary }
    }

    /// Answers from the archive.
    ///
    /// - Throws: ``NetTestingError/notRecorded(_:)``, which names what was asked, without its query's values; `CancellationError`; what
    ///   reading the body throws.
    public func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse
    {
        try Task.checkCancellation()
        let asked = RecordedMatch(request, body: try await body?.collect(upTo: .max), matching: matching)
        let index = used.withLock { used -> Int? in
            let candidates = entries.indices.filter { asked.fits(entries[$0].request) }
            guard let index = candidates.first(where: { !used.contains($0) }) ?? (repeats ? candidates.last : nil)
            else {
                return nil
            }
            used.insert(index)
            return index
        }
        guard let index else { throw missing(request) }
        return try entries[index].response(to: request)
    }

    private func missing(_ request: URLRequest) -> NetTestingError {
        let what = "\(request.httpMethod ?? "GET") \(request.url.map { Redactor.standard.text(of: $0) } ?? "")"
        let left = unused
        let rest =
            left.isEmpty
            ? "All that was recorded has been used."
            : "Recorded and not used yet: \(left.prefix(5).joined(separator: ", "))\(left.count > 5 ? " …" : "")."
        return .notRecorded("\(what) is not in the recording. \(rest)")
    }
}
