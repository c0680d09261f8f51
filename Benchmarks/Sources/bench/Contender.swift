/// Who takes part.
enum Contender: String, CaseIterable {
    case sdk
    case asyncHTTPClient
    case urlSession
    case c
    case curl

    var title: String {
        switch self {
        case .sdk: "NetworkClient"
        case .asyncHTTPClient: "AsyncHTTPClient"
        case .urlSession: "URLSession"
        case .c: "C loop"
        case .curl: "curl command"
        }
    }

    /// The program that does its work, beside this one; nil for the command.
    var program: String? {
        switch self {
        case .sdk: "bench-sdk"
        case .asyncHTTPClient: "bench-async-http-client"
        case .urlSession: "bench-url-session"
        case .c: "bench-c"
        case .curl: nil
        }
    }
}
