import Foundation

/// Who takes part.
enum Contender: String, CaseIterable, Codable, CodingKeyRepresentable {
    case sdk
    case asyncHTTPClient
    case go
    case urlSession
    case c
    case curl
    /// The limit without a client library.
    case wrk

    var title: String {
        switch self {
        case .sdk: "NetworkClient"
        case .asyncHTTPClient: "AsyncHTTPClient"
        case .go: "Go net/http"
        case .urlSession: "URLSession"
        case .c: "C loop"
        case .curl: "curl command"
        case .wrk: "wrk"
        }
    }

    /// The name in a column's head.
    var shortTitle: String {
        switch self {
        case .asyncHTTPClient: "AHC"
        case .go: "Go"
        case .c: "C"
        case .sdk, .urlSession, .curl, .wrk: title
        }
    }

    /// The program that does its work, beside this one; nil for a command.
    var program: String? {
        switch self {
        case .sdk: "bench-sdk"
        case .asyncHTTPClient: "bench-async-http-client"
        case .go: "bench-go"
        case .urlSession: "bench-url-session"
        case .c: "bench-c"
        case .curl, .wrk: nil
        }
    }

    /// Whether its program is there. `Benchmarks/run` builds Go's only where Go is.
    var isBuilt: Bool {
        guard self != .wrk else {
            let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
            return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/wrk") }
        }
        guard let program else { return true }
        return FileManager.default.isExecutableFile(atPath: ChildProcess.path(of: program))
    }
}
