/// Prepares the requests of a client: default fields, cookies, credentials, hooks and compression, in this order.
///
/// It decides once whose request it is, and which fields may go to another origin. All inner interceptors use its decision.
final class RequestPreparer: RequestPreparing {
    let fields: CredentialFields
    private let identifying: IdentifyingFields
    private let defaults: DefaultFields?
    private let cookies: CookieStore?
    private let sources: [AuthInterceptor]
    private let hooks: [any HTTPInterceptor]
    private let owners: [any CredentialOwner]
    private let monitor: (any ConnectionMonitoring)?
    /// Returns the name of the client's user: see ``RequestContext/identity``.
    private let clientName: @Sendable () -> String?
    private let connection: ConnectionIdentity?
    let compressor: RequestCompressor
    /// The only origin that gets the client's credentials; nil for the origin of each call.
    let baseOrigin: Origin?
    /// The statuses that the client accepts, also of stored responses; nil for 200 to 299.
    let acceptedStatusCodes: [ClosedRange<Int>]?

    /// Creates a preparer. With nil resources it adds no default fields and no cookies, only the credentials of `sources`, in order, and the
    /// changes of the hooks in `interceptors`.
    init(
        _ configuration: NetworkClient.Configuration, _ resources: ClientResources?, fields: CredentialFields,
        sources: [AuthInterceptor], interceptors: [any HTTPInterceptor], baseOrigin: Origin?
    ) {
        self.fields = fields
        let (identifying, shared) = (configuration.identifyingFields, configuration.sharedFields)
        self.identifying =
            identifying.isEmpty && shared.isEmpty
            ? .standard : IdentifyingFields(identifying: identifying, shared: shared)
        defaults = resources.map {
            DefaultFields(
                environment: configuration.environment, additional: $0.settings.additionalHeaders,
                userAgent: configuration.userAgent, credentials: fields)
        }
        cookies = resources?.cookies
        self.sources = sources
        hooks = interceptors.filter { $0 is any RequestInterceptor || $0 is any Interceptor }
        owners = interceptors.compactMap { $0 as? any CredentialOwner }
        monitor = configuration.connectionMonitor
        clientName = configuration.partition
        connection = resources?.transport.connectionIdentity
        compressor = RequestCompressor(
            setting: configuration.requestCompression, refusals: resources?.codingRefusals ?? CodingRefusals())
        self.baseOrigin = baseOrigin
        // If several interceptors set statuses, those of the outermost count.
        acceptedStatusCodes =
            interceptors.lazy.compactMap { ($0 as? ValidationInterceptor)?.validation.statusCodes }.first
    }

    var hasOwnCredentials: Bool { !sources.isEmpty }

    // MARK: Preparing

    func prepare(
        _ request: URLRequest, body: HTTPBody?, context: RequestContext, isSending: Bool
    ) async -> PreparedRequest {
        var draft = Draft(request: request, body: body)
        var header = request.allHTTPHeaderFields ?? [:]
        let count = header.count
        defaults?.add(to: &header, url: request.url, start: context.origin)
        let takesCookies = cookies != nil && request.httpShouldHandleCookies && header.value(of: "Cookie") == nil
        draft.parts.hasStoredCookies = takesCookies && addCookies(to: &header, request, context)
        if header.count != count { draft.request.allHTTPHeaderFields = header }
        if let refusal = defaults?.refusal { draft.error = refusal }

        let sources = sources(for: request, context)
        let name = name(for: request, context, sources)
        // Credentials can wait until the request is sent, if a stored response is likely: it is asked for, or the device is offline.
        let isDeferred =
            !isSending && name != nil && !(sources.isEmpty && hooks.isEmpty)
            && (monitor?.isReachable == false || request.acceptsOnlyStored)
        if !isDeferred {
            do {
                try await complete(&draft, header, sources, context, isSending: isSending)
            } catch {
                // Built only for an error. A copy made before would force the next change of the draft to copy the whole request.
                var original = request
                if header.count != count { original.allHTTPHeaderFields = header }
                draft.error = NetworkFailure.ofHook(error, request: original, timestamp: context.clock.now)
            }
            draft.compress(by: compressor, context)
        }
        draft.parts.name = name
        if draft.error != nil { draft.parts.isUnknown = true }
        if let url = draft.request.url { draft.parts.credentialOwners = owners.compactMap { $0.owner(for: url) } }
        draft.parts.connection = connection?(draft.request.url, context)
        if takesCookies, name == nil { draft.parts.cookies = request.url.flatMap { cookies?.scope(for: $0) } }
        return PreparedRequest(
            unprepared: request, unpreparedBody: body, request: draft.request, body: draft.body, parts: draft.parts,
            identifying: identifying, generations: draft.generations, error: draft.error, isDeferred: isDeferred)
    }

    private struct Draft {
        var request: URLRequest
        var body: HTTPBody?
        var generations: [UInt64?] = []
        var parts = PreparedRequest.IdentityParts()
        var error: (any Error)?

        /// A token with a line break must not become a second header field.
        mutating func checkFields() throws { if let own = try request.extractBody() { body = own } }

        /// Hooks see the body as it is; signers and the transport see it compressed.
        mutating func compress(by compressor: RequestCompressor, _ context: RequestContext) {
            guard error == nil, let body else { return }
            do { self.body = try compressor.compress(body, of: &request, context) } catch { self.error = error }
        }
    }

    /// Adds the current credentials, and calls the hooks. `header` has the fields without credentials.
    private func complete(
        _ draft: inout Draft, _ header: [String: String], _ sources: [AuthInterceptor], _ context: RequestContext,
        isSending: Bool
    ) async throws {
        var addsAnyField = false
        for source in sources {
            guard try source.covers(draft.request, context) else {
                draft.generations.append(nil)
                continue
            }
            draft.generations.append(source.authenticator.refresher.generationNow)
            if try await !source.apply(to: &draft.request, isSending: isSending) { draft.parts.isUnknown = true }
            if source.mayAddAnyField { addsAnyField = true }
            try draft.checkFields()
        }
        if addsAnyField, let fields = draft.request.allHTTPHeaderFields {
            for (name, value) in fields where !identifying.contains(name) && header[name] != value {
                draft.parts.credentials.append(name.asciiLowercased)
            }
        }
        for hook in hooks { try await call(hook, &draft, context) }
    }

    private func call(_ hook: any HTTPInterceptor, _ draft: inout Draft, _ context: RequestContext) async throws {
        var step = Next(body: draft.body, context: context) { _, _, _ in throw NetworkError.invalidRequest }
        if let hook = hook as? any RequestInterceptor {
            draft.request = try await step.adapt(draft.request, by: hook.adapt)
        } else if let hook = hook as? any Interceptor {
            draft.request = try await step.adapt(draft.request, by: hook.intercept(request:))
        }
        draft.body = step.body
        try draft.checkFields()
    }

    /// Returns whether the store has cookies for the request.
    private func addCookies(
        to header: inout [String: String], _ request: URLRequest, _ context: RequestContext
    ) -> Bool {
        guard let cookies, let url = request.url,
            let field = cookies.cookieField(
                for: url, method: HTTPMethod(rawValue: request.httpMethod ?? "GET"), firstParty: context.origin)
        else { return false }
        header["Cookie"] = field
        return true
    }

    // MARK: Whose request

    private func name(for request: URLRequest, _ context: RequestContext, _ sources: [AuthInterceptor]) -> String? {
        if let name = context.partition { return name }
        for source in sources {
            if let name = source.ownerName, (try? source.covers(request, context)) == true { return name }
        }
        return clientName()
    }

    /// The name of the user for whom a request would be sent now; nil if only the credentials identify the user.
    func name(for request: URLRequest, _ context: RequestContext) -> String? {
        name(for: request, context, sources(for: request, context))
    }

    // MARK: Credentials

    /// The sources for a request: the call's own provider, or the client's.
    func sources(for request: URLRequest, _ context: RequestContext) -> [AuthInterceptor] {
        if let own = context[CallCredentialsKey.self] { return own }
        // The credentials of a client with a base URL are for that origin.
        if let baseOrigin, !sources.isEmpty, context.origin?.origin != baseOrigin { return [] }
        return sources
    }

    /// Whether a call may get credentials from a source.
    func hasCredentials(_ context: RequestContext) -> Bool {
        context[CallCredentialsKey.self].map { !$0.isEmpty } ?? !sources.isEmpty
    }
}

/// Prepares a request again if its credentials were replaced while it waited for a limit.
struct CurrentCredentials: ImmediateInterceptor {
    let preparer: RequestPreparer

    func admit(_ request: inout AdmissionRequest, _ next: Next) throws -> Admission {
        guard let prepared = next.context.pipeline.prepared, !prepared.generations.isEmpty else { return .passes(nil) }
        let isCurrent = zip(preparer.sources(for: prepared.request, next.context), prepared.generations).allSatisfy {
            $1 == nil || $0.authenticator.refresher.generationNow == $1
        }
        return isCurrent ? .passes(nil) : .waits
    }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var next = next
        // Two statements: a call copies `next` before it evaluates its arguments.
        let ready = try await next.prepareAgain(request)
        return try await next(ready)
    }
}
