/// Where a download task gathers its bytes.
final class DownloadFile {
    let url: URL
    private let handle: FileHandle
    private(set) var length: Int64

    /// A new one in the temporary folder, or one that goes on after what is there.
    init(continuing partial: URL? = nil) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "CFNetworkDownload_\(UUID().uuidString).tmp")
        if let partial {
            try FileManager.default.moveItem(at: partial, to: url)
        } else {
            guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
                throw URLError(.cannotCreateFile)
            }
        }
        handle = try FileHandle(forWritingTo: url)
        length = Int64(try handle.seekToEnd())
    }

    func append(_ data: Data) throws {
        try handle.write(contentsOf: data)
        length += Int64(data.count)
    }

    func startOver() throws {
        try handle.truncate(atOffset: 0)
        length = 0
    }

    func close() { try? handle.close() }

    func remove() {
        close()
        try? FileManager.default.removeItem(at: url)
    }
}

/// What a download is resumed by. Apple's form is private too: a property list.
struct ResumeData: Codable {
    let url: String
    let partial: String
    let count: Int64
    let validator: String

    init?(_ data: Data) {
        guard let known = try? PropertyListDecoder().decode(Self.self, from: data) else { return nil }
        self = known
    }

    /// Nil if the server could not be asked for the rest: a GET whose answer says by what it is known again is needed.
    init?(_ file: DownloadFile?, request: URLRequest?, response: URLResponse?) {
        guard let file, file.length > 0, let url = request?.url, request?.httpMethod == "GET",
            let response = response as? HTTPURLResponse, [200, 206].contains(response.statusCode),
            response.value(forHTTPHeaderField: "Accept-Ranges") != "none",
            let validator = response.value(forHTTPHeaderField: "ETag")
                ?? response.value(forHTTPHeaderField: "Last-Modified"), !validator.hasPrefix("W/")
        else { return nil }
        (self.url, self.validator) = (url.absoluteString, validator)
        (partial, count) = (file.url.path + ".partial", file.length)
    }

    var data: Data? {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try? encoder.encode(self)
    }
}
