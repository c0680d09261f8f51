/// The known targets of requests, with their labels and instruments. Bounded, whatever the URLs.
final class TargetTable: Sendable {
    /// A target as requests spell it, which is cheap to read.
    private struct Spelling: Hashable {
        var origin: String
        var method: String
        var template: String?
    }

    /// A target by its labels.
    private struct Labels: Hashable {
        var server: Server
        var method: String
        var template: String?
    }

    private struct State {
        var spellings: [Spelling: Target] = [:]
        var targets: [Labels: Target] = [:]
        var servers: Set<Server> = []
        var templates: Set<String> = []
    }

    private let maximumServers: Int
    private let maximumTemplates: Int
    private let state = Guarded(State())

    /// A method of one's own, a host in capitals: each spelling takes an entry. Those beyond are read anew for each request.
    private static let maximumSpellings = 4_096

    init(maximumServers: Int, maximumTemplates: Int) {
        self.maximumServers = maximumServers
        self.maximumTemplates = maximumTemplates
    }

    /// Returns the target of a request.
    ///
    /// - Parameters:
    ///   - url: the text of the URL.
    ///   - method: the method as sent.
    ///   - template: the template of the path, or nil.
    func target(of url: String, method: String, template: String?) -> Target {
        let spelling = Spelling(origin: Server.origin(of: url), method: method, template: template)
        return state.withLock { state in
            if let target = state.spellings[spelling] { return target }
            let server = admitted(Server(origin: spelling.origin), &state)
            let knownTemplate = template.map { admitted($0, &state) }
            let labels = Labels(server: server, method: Self.label(of: method), template: knownTemplate)
            let target =
                state.targets[labels] ?? Target(labels.server, method: labels.method, template: labels.template)
            state.targets[labels] = target
            if server.port != nil, knownTemplate == template, state.spellings.count < Self.maximumSpellings {
                state.spellings[spelling] = target
            }
            return target
        }
    }

    private func admitted(_ server: Server, _ state: inout State) -> Server {
        guard server.port != nil, !state.servers.contains(server) else { return server }
        guard state.servers.count < maximumServers else { return Server(otherWith: server.scheme) }
        state.servers.insert(server)
        return server
    }

    private func admitted(_ template: String, _ state: inout State) -> String {
        guard !state.templates.contains(template) else { return template }
        guard state.templates.count < maximumTemplates else { return Server.other }
        state.templates.insert(template)
        return template
    }

    /// The methods that are labels of their own (OpenTelemetry, `http.request.method`): those of RFC 9110 and PATCH.
    private static func label(of method: String) -> String {
        switch method {
        case "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT": method
        default: Server.other
        }
    }
}
