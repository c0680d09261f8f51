/// A request as the model thinks it is prepared.
struct PreparedModel {
    /// With the query.
    var url: String
    var marks: [String]
    /// Stands for whose request it is.
    var owner: String
    /// The value of the analytics cookie where nobody is named and no cookie tells users apart. `Vary: Cookie` selects by it.
    var harmlessCookie: Int?
    /// Whether a field is added below the cache of which nobody says whose it is.
    var isHidden = false
    /// Whether it is not known whose request it is.
    var isUnknown = false
    var hasCookie = false
}

extension WireModel {
    private struct Credentials {
        /// Added before the cache: name and token.
        var fields: [String: String] = [:]
        /// Added further in.
        var inner: [String: String] = [:]
        var query: String?
        /// Who is named as the owner of what is added further in.
        var innerOwner: String?
        var name: String?
        var connection: String?
        var isHidden = false
        var isUnknown = false
    }

    func prepared(_ user: SeamUser?, _ hop: Hop, _ language: String) -> PreparedModel {
        let credentials = user.map { self.credentials(of: $0, hop) } ?? Credentials()
        let state = clients[client(of: user)]
        let host = host(of: hop.origin)
        let isCallersCookie = credentials.fields["cookie"] != nil
        var marks = credentials.fields.merging(credentials.inner) { $1 }.map { "\($0.key)=\($0.value)" }
        if let query = credentials.query { marks.append("?=\(query)") }
        if seam.vary.isByLanguage { marks.append("accept-language=\(language)") }

        var cookies: [String] = []
        if !isCallersCookie, state.seenCookies[host] != nil { cookies.append("cookie:seen") }
        if !isCallersCookie, host == "127.0.0.1", let cookieUser = state.cookieUser {
            cookies.append("cookie=\(token(of: cookieUser))")
        }
        marks += cookies
        let epoch = state.epochs[host] ?? state.epoch
        // The analytics cookie tells nobody apart. A name stands for all cookies.
        let hasScope = !isCallersCookie && epoch > 0 && credentials.name == nil

        let fields = credentials.fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var owner = credentials.name.map { ["named \($0)"] } ?? fields
        if let inner = credentials.innerOwner { owner.append("of \(inner)") }
        if let connection = credentials.connection { owner.append("over \(connection)") }
        if hasScope { owner.append("cookies \(client(of: user)) \(epoch)") }
        return PreparedModel(
            url: hop.origin + hop.path + (credentials.query.map { "?" + $0 } ?? ""), marks: marks.sorted(),
            owner: owner.joined(separator: " "),
            harmlessCookie: hasScope || isCallersCookie || credentials.name != nil ? nil : state.seenCookies[host],
            isHidden: credentials.isHidden && credentials.name == nil,
            isUnknown: credentials.isUnknown && credentials.name == nil, hasCookie: !cookies.isEmpty || isCallersCookie)
    }

    private func credentials(of user: SeamUser, _ hop: Hop) -> Credentials {
        let token = token(of: user)
        let isHome = hop.origin == "A"
        var result = Credentials()
        // What belongs to the origin of the call.
        switch seam.source {
        case .none, .storedCookie, .sessionCookie: break
        case .bearer, .provider, .callProvider: if isHome { result.fields["authorization"] = token }
        case .bearerWithPartition, .session:
            if isHome {
                result.fields["authorization"] = token
                result.name = user.rawValue
            }
        case .tokenProvider:
            if isHome {
                result.fields["authorization"] = token
                result.isUnknown = seam.clients == .two && !clients[client(of: user)].hasSeenToken
            }
        case .keyInHeader, .environment: if isHome { result.fields["x-api-key"] = token }
        case .keyInQuery: if isHome { result.query = token }
        case .adaptHook: if isHome { result.fields["x-session"] = token }
        case .interceptHook: if isHome { result.fields["token"] = token }
        case .additionalHeaders: if isHome { result.fields["x-amz-security-token"] = token }
        case .middleware: if isHome { (result.inner["x-tenant"], result.isHidden) = (token, true) }
        case .middlewareWithPartition:
            result.name = user.rawValue
            if isHome { result.inner["x-tenant"] = token }
        case .middlewareWithOwner: if isHome { (result.inner["x-tenant"], result.innerOwner) = (token, user.rawValue) }
        // What the call itself has does not come back.
        case .callMiddleware: if isHome, !hop.isBack { result.fields["x-call-token"] = token }
        case .callersAuthorization: if isHome, !hop.isBack { result.fields["authorization"] = token }
        case .callersCookie: if isHome, !hop.isBack { result.fields["cookie"] = token }
        // They name their owner for every port of their host.
        case .basicChallenge, .digestChallenge, .awsSigner, .messageSigner:
            if host(of: hop.origin) == "127.0.0.1" { result.innerOwner = user.rawValue }
            let field = seam.source == .messageSigner ? "signature-input" : "authorization"
            let isSent = seam.source.isSigner || clients[client(of: user)].hasBeenChallenged
            if isHome, isSent { result.inner[field] = token }
        case .unixSocket: result.connection = user.rawValue
        }
        return result
    }
}
