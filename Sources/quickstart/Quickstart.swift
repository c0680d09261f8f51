import Networking

/// `swift run quickstart`: a tour of the call styles against a server in this process. `get` and `download` do the same
/// against any server.
@main
struct Quickstart {
    private static let usage = """
        usage: quickstart                     a tour, against a server in this process
               quickstart get URL             prints status, headers and body
               quickstart download URL FILE   saves the body, with a progress bar
        """

    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch let failure as NetworkFailure {
            fail(explanation(of: failure))
        } catch let error as NetworkError {
            fail(explanation(of: NetworkFailure(cause: error)))
        } catch {
            fail((error as? any LocalizedError)?.errorDescription ?? "\(error)")
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch (arguments.first, arguments.count) {
        case (nil, _): try await Tour().run()
        case ("get", 2): try await get(try url(arguments[1]))
        case ("download", 3): try await download(try url(arguments[1]), to: URL(fileURLWithPath: arguments[2]))
        case ("--help", 1), ("-h", 1), ("help", 1): print(usage)
        default: fail(usage)
        }
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text), url.scheme != nil, url.host != nil else {
            fail("'\(text)' is not a URL. Write it in full, as in https://example.com/")
        }
        return url
    }

    private static func get(_ url: URL) async throws {
        let networking = Networking()
        let response: NetworkResponse<Data> = await networking.request(url: url)
        if let failure = response.failure, response.statusCode == nil { throw failure }
        print("\(response.statusCode ?? 0) \((response.statusCode ?? 0).statusCodeType)")
        for header in response.headers { print("\(header.name): \(header.value)") }
        print("")
        print(response.prettyPrinted ?? "(\(response.data?.count ?? 0) bytes that are not text)")
        await networking.shutdown()
    }

    private static func download(_ url: URL, to file: URL) async throws {
        let client = NetworkClient()
        let saved = try await Download(client: client).save(url, to: file)
        let size = try saved.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        print("Saved \(size) bytes to \(saved.path)")
        await client.shutdown()
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(1)
    }
}

/// A sentence for a user, the reason, and the line for a log, which contains no secret.
func explanation(of failure: NetworkFailure) -> String {
    var sentences = [failure.errorDescription ?? failure.code]
    // A reason from the transport is already in the line for the log.
    if let reason = failure.failureReason, !"\(failure)".contains(reason) { sentences.append(reason) }
    return sentences.joined(separator: " ") + "\n[\(failure)]"
}
