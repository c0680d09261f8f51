import NetTesting
import Networking
import TestLab

/// The servers of all cases: two origins on 127.0.0.1, and a Unix-domain socket for each user.
///
/// Each case has paths of its own (`/c17/…`), and a ``CaseServer`` that answers them.
final class SeamServers: Sendable {
    private let cases: Locked<[Int: CaseServer]>
    private let first: MockServer
    private let second: MockServer
    private let sockets: [SeamUser: MockServer]
    private let folder: TemporaryDirectory
    /// Sends for all cases that have no transport of their own.
    let transport: any HTTPTransport
    /// With one, all of them speak HTTP/2 and nothing else.
    let certificate: MockCertificate?

    init(certificate: MockCertificate? = nil) throws {
        self.certificate = certificate
        let cases = Locked<[Int: CaseServer]>([:])
        self.cases = cases
        @Sendable func server(_ origin: String, _ path: String? = nil) throws -> MockServer {
            try MockServer(
                unixSocketPath: path, certificate: certificate,
                httpVersions: certificate == nil ? .http1Only : .http2Only, keepingRequestsUpTo: 16
            ) { request in
                let id = request.path.dropFirst(2).prefix { $0 != "/" }
                guard let own = Int(id).flatMap({ id in cases.withLock { $0[id] } }) else { return .notFound }
                let isLocal = request.headers["Host"]?.hasPrefix("localhost:") == true
                return await own.answer(request, at: origin == "A" && isLocal ? "L" : origin)
            }
        }
        folder = try TemporaryDirectory()
        first = try server("A")
        second = try server("B")
        var sockets: [SeamUser: MockServer] = [:]
        for user in SeamUser.allCases { sockets[user] = try server(user.rawValue, folder.file(user.rawValue).path) }
        self.sockets = sockets
        var configuration = TransportConfiguration()
        configuration.limits.connectionsPerHost = 200
        if let certificate { configuration.certificateAuthorities = .only(pem: certificate.authority) }
        transport = SharedConnections(base: .platform(configuration))
    }

    func add(_ server: CaseServer) { cases.withLock { $0[server.vault.id] = server } }
    func remove(_ server: CaseServer) { cases.withLock { $0[server.vault.id] = nil } }

    /// The URL of an origin, without a slash.
    func url(_ origin: String) -> String {
        let scheme = certificate == nil ? "http" : "https"
        return switch origin {
        case "B": "\(scheme)://127.0.0.1:\(second.port)"
        case "L": "\(scheme)://localhost:\(first.port)"
        case "A": "\(scheme)://127.0.0.1:\(first.port)"
        default: "\(scheme)://localhost"
        }
    }

    /// A cache on disk for one case. URLs that share a shard share its generation: another case's invalidation would cost this one a
    /// response that it had stored.
    func disk(of id: Int) -> DiskCache { DiskCache(directory: folder.file("cache-\(id)")) }

    /// The case's number, or a higher one with which no two of its URLs share a shard: its redirects, which are not stored, would otherwise
    /// cost it the response that they lead to.
    func number(for id: Int) async throws -> Int {
        let shards = DiskCache(directory: folder.file("shards"))
        var id = id
        while true {
            var generations: [HTTPCacheEntry.Generation] = []
            for origin in ["A", "B", "L", "U"] {
                for name in ["r2", "m2", "t2"] {
                    let url = "\(url(origin))/c\(id)/\(name)"
                    if let generation = try await shards.generation(of: url) { generations.append(generation) }
                }
            }
            if Set(generations).count == 12 { return id }
            // What a case does depends on the remainders by 3 and by 4.
            id += 12_000
        }
    }

    func socketPath(of user: SeamUser) -> String { folder.file(user.rawValue).path }

    func stop() async {
        await (transport as? SharedConnections)?.base.shutdown()
        for server in [first, second] + sockets.values { await server.stop() }
    }
}

/// The platform's transport behind a type of its own, so that each client has default fields and cookies of its own.
private struct SharedConnections: HTTPTransport {
    let base: PlatformTransport
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        try await base.send(request, body: body, context: context)
    }
}
