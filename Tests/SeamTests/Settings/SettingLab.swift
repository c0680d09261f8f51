import NetTesting
import Networking

/// Where one setting is looked at: a server, and what was seen of it.
final class SettingLab: Sendable {
    private let journal: Locked<[String]>
    let server: MockServer

    init() throws {
        let journal = Locked<[String]>([])
        self.journal = journal
        let flaky = Locked(UInt64(0))
        server = try MockServer { request in
            // When this one arrives is not certain if the client gives up soon.
            if request.path != "/slow" { journal.withLock { $0.append(Self.line(of: request)) } }
            let answer = MockResponse.json(SettingAnswer(text: "hello")).header("Cache-Control", "max-age=600")
            switch request.path {
            case "/slow": return answer.delayed(by: 20)
            case "/redirect": return .redirect(to: "/text")
            case "/elsewhere":
                let port = request.headers["Host"]?.split(separator: ":").last ?? ""
                return .redirect(to: "http://localhost:\(port)/text")
            case "/flaky": return flaky.next() % 2 == 1 ? .status(503) : answer
            default: return answer
            }
        }
    }

    var observations: [String] { journal.withLock { $0 } }
    func note(_ line: String) { journal.withLock { $0.append(line) } }

    /// Everything in a request that is not about this one connection.
    private static func line(of request: RecordedRequest) -> String {
        let fields = request.headers.filter { !["host", "connection"].contains($0.name.lowercased()) }
        let list = fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted().joined(separator: "; ")
        return "\(request.method.rawValue) \(request.target) {\(list)} \(request.bodyText)"
    }
}

struct SettingAnswer: Codable, Sendable { var text: String }

enum SettingDoor: String, CaseIterable, Sendable {
    case client, derivedClient, facade, facadeOnClient, facadeOnDerivedClient
}

struct SettingCaller: Sendable {
    let lab: SettingLab
    private(set) var client: NetworkClient
    private var networking: Networking?

    init(
        _ door: SettingDoor, lab: SettingLab, base: (inout NetworkClient.Configuration) -> Void,
        change: (inout NetworkClient.Configuration) -> Void
    ) {
        var plain = NetworkClient.Configuration(baseURL: lab.server.url)
        base(&plain)
        var changed = plain
        change(&changed)
        self.lab = lab
        if door == .facade {
            let facade = Networking(configuration: changed)
            (client, networking) = (facade.client, facade)
        } else {
            let isDerived = door == .derivedClient || door == .facadeOnDerivedClient
            client = NetworkClient(configuration: isDerived ? plain : changed)
            if isDerived { client = client.with(change) }
            networking = door == .client || door == .derivedClient ? nil : Networking(client: client)
        }
    }

    func derived(_ change: (inout NetworkClient.Configuration) -> Void) -> SettingCaller {
        var copy = self
        copy.client = client.with(change)
        if networking != nil { copy.networking = Networking(client: copy.client) }
        return copy
    }

    func send(
        _ path: String = "/text", method: HTTPMethod = .get, headers: [String: String] = [:], body: String? = nil,
        host: String? = nil, query: [String: any Encodable & Sendable] = [:]
    ) async {
        let url = host.flatMap { URL(string: $0 + path) } ?? lab.server.url(path)
        if let networking {
            let config = RequestConfig(
                url: url, method: method, queryParameters: query,
                bodyParameters: body.map { ["firstName": $0] } ?? [:], headers: HTTPHeaders(headers))
            let response: NetworkResponse<SettingAnswer> = await networking.request(config)
            note(response.result)
        } else {
            let request = Request<SettingAnswer>(
                method: method, absoluteURL: url, query: query, body: body.map { ["firstName": $0] },
                headers: HTTPHeaders(headers))
            do throws(NetworkFailure) { note(.success(try await client.send(request))) } catch {
                note(.failure(error.cause))
            }
        }
    }

    private func note(_ result: Result<SettingAnswer, NetworkError>) {
        switch result {
        case .success(let answer): lab.note("got \(answer.text)")
        case .failure(let error): lab.note("failed: \(error.code) \(error.statusCode.map(String.init) ?? "")")
        }
    }
}
