import Networking

/// `swift run quickstart`: a tour of the call styles against a server in this process. `get` and `download` do the same
/// against any server.
@main
struct Quickstart {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch let error as NetworkFailure {
            fail("\(error.localizedDescription) (\(error.description))")
        } catch let error as NetworkError {
            fail("\(error.localizedDescription) \(error.failureReason ?? "")")
        } catch {
            fail("\(error)")
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch arguments.first {
        case nil:
            try await Tour().run()
        case "get" where arguments.count == 2:
            try await get(try url(arguments[1]))
        case "download" where arguments.count == 3:
            try await download(try url(arguments[1]), to: URL(fileURLWithPath: arguments[2]))
        default:
            fail(
                """
                usage: quickstart                     a tour against a server in this process
                       quickstart get URL             prints status, headers and body
                       quickstart download URL FILE   saves the body, with a progress bar
                """)
        }
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw NetworkError.invalidURL }
        return url
    }

    private static func get(_ url: URL) async throws {
        let response: NetworkResponse<Data> = await Networking().request(url: url)
        if let failure = response.failure, response.statusCode == nil { throw failure }
        print("\(response.statusCode ?? 0) \((response.statusCode ?? 0).statusCodeType)")
        for header in response.headers { print("\(header.name): \(header.value)") }
        print("")
        print(response.prettyPrinted ?? "(\(response.data?.count ?? 0) bytes)")
    }

    private static func download(_ url: URL, to file: URL) async throws {
        let bar = ProgressBar()
        let size = try await Download(client: NetworkClient()).save(url, to: file) { bar.show($0, of: $1) }
        bar.finish()
        print("Saved \(size) bytes to \(file.path)")
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(1)
    }
}
