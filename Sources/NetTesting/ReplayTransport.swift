public import NetCore
public import NetLogging

/// A transport that replays the responses of a HAR file, and fails for requests that were not recorded.
///
/// ```swift
/// // Once, against the real service. Secrets are left out:
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
/// Each entry answers one request. If several match, the first one that has not answered does. Text that a redactor has removed from the
/// recording matches anything, and is missing in the response, too. A `SanitizationConfig` of the recorder keeps the fields you need.
///
/// HAR files of browsers and proxies work as well.
public final class ReplayTransport: HTTPTransport {
    /// The parts of a request that must match the recording.
    public struct Matching: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let method = Matching(rawValue: 1)
        /// Scheme, host and port.
        public static let host = Matching(rawValue: 2)
        public static let path = Matching(rawValue: 4)
        /// The items of the query, in any order.
        public static let query = Matching(rawValue: 8)
        /// The body: JSON as values, forms as fields in any order, everything else as bytes.
        public static let body = Matching(rawValue: 16)

        /// Host, path and query.
        public static let url: Matching = [.host, .path, .query]
        public static let `default`: Matching = [.method, .url]
    }

    private let entries: [HTTPArchive.Entry]
    private let matching: Matching
    private let repeats: Bool
    private let used: Locked<Set<Int>>

    /// - Parameters:
    ///   - archive: the recording.
    ///   - matching: the parts of a request that must match.
    ///   - repeats: whether the last matching entry answers again when all matching entries have answered.
    public init(_ archive: HTTPArchive, matching: Matching = .default, repeats: Bool = false) {
        entries = archive.log.entries
        self.matching = matching
        self.repeats = repeats
        used = Locked([])
    }

    /// Creates a transport from a HAR file: see ``init(_:matching:repeats:)``.
    ///
    /// - Throws: `DecodingError` if it is not a HAR file, and errors of reading the file.
    public convenience init(contentsOf url: URL, matching: Matching = .default, repeats: Bool = false) throws {
        self.init(try HTTPArchive(contentsOf: url), matching: matching, repeats: repeats)
    }

    /// The recorded requests that were not sent so far, in order: `GET https://service.example/user`.
    public var unused: [String] {
        let used = used.withLock { $0 }
        return entries.indices.filter { !used.contains($0) }.map { entries[$0].request.summary }
    }

    /// Returns the recorded response.
    ///
    /// - Throws: ``NetTestingError/notRecorded(_:)``, which names the request without the values of its query; `CancellationError`;
    ///   errors of reading the body.
    public func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse
    {
        try Task.checkCancellation()
        let match = RecordedMatch(
            request, body: try await (body?.uncoded?.body ?? body)?.collect(upTo: .max), matching: matching)
        let index = used.withLock { used -> Int? in
            let candidates = entries.indices.filter { match.fits(entries[$0].request) }
            let index = candidates.first { !used.contains($0) } ?? (repeats ? candidates.last : nil)
            if let index { used.insert(index) }
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
