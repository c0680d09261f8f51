/// Compresses the bodies of prepared requests: see ``RequestOptions/Compression``.
struct RequestCompressor: Sendable {
    /// The client's setting. The call's wins.
    var setting = RequestOptions.Compression.off
    var refusals = CodingRefusals()
    var isAvailable: @Sendable (Compressor.Format) -> Bool = { $0.isAvailable }

    /// Returns the body to send, and sets the request's `Content-Encoding` if that is compressed. Throws ``NetworkError/unsupported(_:)`` if the
    /// library cannot be loaded.
    func compress(_ body: HTTPBody, of request: inout URLRequest, _ context: RequestContext) throws -> HTTPBody {
        let setting = context.hasOptions ? context.options.requestCompression ?? setting : setting
        guard let coding = setting.coding, body.length != 0, !context[UncompressedKey.self], request.mayBeCompressed
        else { return body }
        guard isAvailable(coding.format) else {
            throw NetworkError.unsupported(
                "\(coding.library) cannot be loaded, so that requests cannot be compressed with \(coding.rawValue). Install it, or set another requestCompression."
            )
        }
        guard body.length ?? .max >= Int64(setting.minimumSize), !refusals.contains(request.url, coding.rawValue),
            let coded = try body.compressed(by: setting, coding)
        else { return body }
        request.setValue(coding.rawValue, forHTTPHeaderField: "Content-Encoding")
        request.setValue(nil, forHTTPHeaderField: "Content-Length")
        return coded
    }
}

/// Whether the body is sent without compression, since the server has refused its coding.
enum UncompressedKey: RequestContext.Key {
    static let defaultValue = false
}

/// The origins that refused a content coding. A client shares them with the clients that are derived from it.
final class CodingRefusals: Sendable {
    private struct Entry: Hashable {
        let origin: Origin
        let coding: String
    }

    private let entries = Locked<[Entry]>([])
    /// The oldest gives way to a new one.
    private static let limit = 64

    func contains(_ url: URL?, _ coding: String) -> Bool {
        entries.withLock { entries in
            guard !entries.isEmpty, let origin = url?.origin else { return false }
            return entries.contains(Entry(origin: origin, coding: coding))
        }
    }

    func insert(_ url: URL?, _ coding: String) {
        guard let entry = url?.origin.map({ Entry(origin: $0, coding: coding) }) else { return }
        entries.withLock { entries in
            guard !entries.contains(entry) else { return }
            if entries.count >= Self.limit { entries.removeFirst() }
            entries.append(entry)
        }
    }
}

extension TransportResponse {
    /// Whether the server accepts a coding in requests (RFC 9110, section 12.5.3); nil if it does not say.
    func acceptsInRequests(_ coding: String) -> Bool? {
        guard headers.contains(name: "Accept-Encoding") else { return nil }
        var accepts: Bool?
        for member in headers.values(for: "Accept-Encoding").flatMap({ $0.listMembers() }) {
            let name = String(member.prefix { $0 != ";" }.trimmingHTTPWhitespace)
            let isAcceptable = FieldParameters.parse(String(member)).allSatisfy {
                $0.name != "q" || Double($0.value) != 0
            }
            if name.equalsIgnoringASCIICase(coding) || name.equalsIgnoringASCIICase("x-" + coding) {
                return isAcceptable
            }
            if name == "*" { accepts = isAcceptable }
        }
        return accepts ?? false
    }
}

extension URLRequest {
    /// The fields that describe the bytes of the body as they are: their coding, digest, or place in the whole.
    private static let fieldsOfExactBytes = [
        "Content-Encoding", "Content-Range", "Content-Digest", "Repr-Digest", "Digest", "Content-MD5", "Tus-Resumable",
        "Upload-Offset", "Upload-Length", "Upload-Complete",
    ]

    fileprivate var mayBeCompressed: Bool {
        let fields = allHTTPHeaderFields ?? [:]
        return Self.fieldsOfExactBytes.allSatisfy { fields.value(of: $0) == nil }
            && fields.value(of: "Content-Type").flatMap { MediaType($0) }?.isCompressed != true
    }
}

extension MediaType {
    private static let compressedApplications: Set<String> = [
        "epub+zip", "gzip", "java-archive", "vnd.android.package-archive", "vnd.rar", "x-7z-compressed", "x-bzip",
        "x-bzip2", "x-gzip", "x-rar-compressed", "x-xz", "zip", "zstd",
    ]
    private static let compressedFamilies = ["grpc", "vnd.oasis.opendocument.", "vnd.openxmlformats-officedocument."]

    /// Whether the format has a compression of its own.
    fileprivate var isCompressed: Bool {
        switch type {
        case "audio", "video": true
        case "image": subtype != "svg+xml"
        case "font": subtype.hasPrefix("woff")
        case "application":
            Self.compressedApplications.contains(subtype) || subtype.hasSuffix("+zip")
                || Self.compressedFamilies.contains(where: subtype.hasPrefix)
        default: false
        }
    }
}

extension RequestOptions.Compression.Coding {
    fileprivate var format: Compressor.Format { self == .gzip ? .gzip : .zstd }
    fileprivate var library: String { self == .gzip ? "The library zlib (libz)" : "The library zstd (libzstd)" }
    fileprivate func level(_ level: Int) -> Int32 { Int32(max(1, min(level, self == .gzip ? 9 : 19))) }
}

extension HTTPBody {
    /// Nil for data that does not become smaller.
    fileprivate func compressed(
        by setting: RequestOptions.Compression, _ coding: RequestOptions.Compression.Coding
    ) throws -> HTTPBody? {
        let level = setting.level.map(coding.level)
        let uncoded = UncodedBody(self, coding: coding.rawValue)
        guard let data else {
            return HTTPBody(
                source: .stream {
                    uncoded.rewind()
                    return compressing(uncoded, Compressor(coding.format, level: level))
                }, length: nil, isReplayable: isReplayable, uncoded: uncoded)
        }
        // Compressed by one call, so that zstd's frame tells the length.
        guard let coded = Compressor(coding.format, level: level)?.compress(data, .finish) else {
            throw Self.outOfMemory
        }
        guard coded.count < data.count else { return nil }
        return HTTPBody(source: .data(coded), length: Int64(coded.count), isReplayable: true, uncoded: uncoded)
    }

    /// Reads the body from its start, compressed. Its chunks and its end are compressed one by one, so that each reading gives the same bytes.
    private func compressing(_ uncoded: UncodedBody, _ compressor: Compressor?) -> ChunkReader {
        let read = chunkReader()
        var isEnded = false
        return {
            while !isEnded {
                let chunk = try await read()
                isEnded = chunk == nil
                guard let coded = compressor?.compress(chunk ?? Data(), isEnded ? .finish : .none) else {
                    throw Self.outOfMemory
                }
                uncoded.advance(by: chunk?.count ?? 0)
                if !coded.isEmpty { return coded }
            }
            return nil
        }
    }

    /// In bytes.
    private static let fileChunk = 256 << 10

    /// Reads the body from its start. A file that changes meanwhile fails, as it does without compression.
    private func chunkReader() -> ChunkReader {
        if case .file(let segment) = source {
            var file: OpenFile?
            return {
                try Task.checkCancellation()
                let open = try file ?? OpenFile(segment)
                file = open
                return try open.read(upToCount: Self.fileChunk)
            }
        }
        // Unsafe: a `ChunkReader` has one reader at a time.
        nonisolated(unsafe) var iterator = makeAsyncIterator()
        return { try await iterator.next() }
    }

    private static var outOfMemory: TransportError {
        TransportError(.requestBodyFailed, phase: .preparing, message: "The body cannot be compressed: out of memory.")
    }
}
