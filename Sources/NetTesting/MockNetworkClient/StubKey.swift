import NetCore
import NetTransfer

/// The requests that a stub of ``MockNetworkClient`` answers. Two requests to one path may differ in the response type.
enum StubKey: Hashable, CustomStringConvertible {
    /// A type, compared by its identity.
    struct TypeName: Hashable, CustomStringConvertible {
        private let id: ObjectIdentifier
        let description: String

        init(_ type: Any.Type) {
            id = ObjectIdentifier(type)
            description = "\(type)"
        }
    }

    case endpoint(TypeName)
    case upload(TypeName)
    case download(TypeName)
    case request(HTTPMethod, path: String, answer: TypeName)
    case url(HTTPMethod, URL, answer: TypeName)

    func isRequest(_ method: HTTPMethod, _ path: String) -> Bool {
        if case .request(method, path, _) = self { true } else { false }
    }

    var description: String {
        switch self {
        case .endpoint(let name): "the endpoint \(name)"
        case .upload(let name): "an upload to the endpoint \(name) (stubUpload)"
        case .download(let name): "a download from the endpoint \(name) (stubDownload)"
        case .request(let method, let path, let name): "\(method) \(path) with an answer of type \(name)"
        // Without the query, which may be secret.
        case .url(let method, let url, let name):
            "\(method) \(url.absoluteString.prefix { $0 != "?" }) with an answer of type \(name)"
        }
    }
}

extension Request.Target {
    /// The path as stubs name it.
    var stubPath: String {
        switch self {
        case .path(let path): path
        case .pathComponents(let components): "/" + components.joined(separator: "/")
        case .absolute(let url): url.absoluteString
        }
    }
}

extension MockNetworkClient {
    struct Call {
        let key: StubKey
        let value: any Sendable
    }

    struct Stub {
        let delay: TimeInterval
        let progress: [TransferProgress]
        /// Returns an ``UncheckedSendable`` of the response.
        let respond: @Sendable (any Sendable) async throws -> any Sendable
    }
}
