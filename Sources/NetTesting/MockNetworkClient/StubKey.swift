import NetCore

/// What a stub of ``MockNetworkClient`` answers. The type of the answer is part of it: two requests for one path may want different
/// ones.
enum StubKey: Hashable, CustomStringConvertible {
    case endpoint(ObjectIdentifier, name: String)
    case upload(ObjectIdentifier, name: String)
    case download(ObjectIdentifier, name: String)
    case request(HTTPMethod, path: String, answer: ObjectIdentifier, name: String)
    case url(HTTPMethod, URL, answer: ObjectIdentifier, name: String)

    static func endpoint(_ type: any Endpoint.Type) -> StubKey {
        .endpoint(ObjectIdentifier(type), name: "\(type)")
    }

    static func upload(_ type: any Endpoint.Type) -> StubKey {
        .upload(ObjectIdentifier(type), name: "\(type)")
    }

    static func download(_ type: any Endpoint.Type) -> StubKey {
        .download(ObjectIdentifier(type), name: "\(type)")
    }

    static func request(_ method: HTTPMethod, _ path: String, _ answer: Any.Type) -> StubKey {
        .request(method, path: path, answer: ObjectIdentifier(answer), name: "\(answer)")
    }

    static func url(_ method: HTTPMethod, _ url: URL, _ answer: Any.Type) -> StubKey {
        .url(method, url, answer: ObjectIdentifier(answer), name: "\(answer)")
    }

    func isRequest(_ method: HTTPMethod, _ path: String) -> Bool {
        if case .request(method, path, _, _) = self { true } else { false }
    }

    var description: String {
        switch self {
        case .endpoint(_, let name): "the endpoint \(name)"
        case .upload(_, let name): "an upload to the endpoint \(name) (stubUpload)"
        case .download(_, let name): "a download from the endpoint \(name) (stubDownload)"
        case .request(let method, let path, _, let name): "\(method) \(path) with an answer of type \(name)"
        // A query may be secret.
        case .url(let method, let url, _, let name):
            "\(method) \(url.absoluteString.prefix { $0 != "?" }) with an answer of type \(name)"
        }
    }
}

extension Request.Target {
    /// As a stub names it.
    var stubPath: String {
        switch self {
        case .path(let path): path
        case .pathComponents(let components): "/" + components.joined(separator: "/")
        case .absolute(let url): url.absoluteString
        }
    }
}
