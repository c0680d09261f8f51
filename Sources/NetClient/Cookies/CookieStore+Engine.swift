extension CookieStore {
    /// Returns the value of a request's `Cookie` field, or nil if the request carries no cookie (RFC 6265bis, section 5.8.3). The call started at the
    /// URL `firstParty`; nil if that is the request's.
    package func cookieField(for url: URL, method: HTTPMethod, firstParty: URL?) -> String? {
        guard !isEmpty, let target = CookieTarget(url) else { return nil }
        let origin = firstParty.flatMap(CookieTarget.init)
        return access { state, now in
            let site = self.site(of: target.host, in: &state)
            let isCrossSite = firstParty != nil && origin.map { self.site(of: $0.host, in: &state) } != site
            var field = ""
            state.jar.use(site: site, for: target, method: method, isCrossSite: isCrossSite, at: now) { cookie in
                if !field.isEmpty { field += "; " }
                field += cookie.name
                field += "="
                field += cookie.value
            }
            return field.isEmpty ? nil : field
        }
    }

    /// Stores the cookies of a response from the network (RFC 6265, section 5.3) to a request as sent, and removes those of its site if it says
    /// `Clear-Site-Data: "cookies"`. A response that clears cookies keeps none of its own, as in browsers. An insecure one cannot clear, unless it is
    /// from this machine.
    func receive(_ response: TransportResponse, to request: URLRequest) {
        guard let url = request.url, request.httpShouldHandleCookies else { return }
        let (headers, status) = (response.headers, response.status)
        let fields = headers.values(for: "Set-Cookie")
        let clears = headers.clearsCookies
        let isSuccess = (200..<400).contains(status)
        guard !fields.isEmpty || clears || isSuccess && !isEmpty, let target = CookieTarget(url) else { return }
        access { state, now in
            let site = self.site(of: target.host, in: &state)
            state.jar.removeExpired(from: site, at: now)
            if clears, target.isSecure || url.isLoopback {
                state.jar.epochs.move(site)
                state.jar.remove(from: site, as: .removed) { _ in true }
                return
            }
            defer {
                if isSuccess, state.jar.mayIdentify(site), CookieTarget.changesUser(url) { state.jar.epochs.move(site) }
            }
            guard system?.acceptsCookies != false else { return }
            let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
            let isPlain = method.isSafe && !(300..<400).contains(status)
            for field in fields {
                guard let field = SetCookieField(field, now: now),
                    let cookie = cookie(of: field, from: target, url, now: now),
                    target.isSecure || cookie.isSecure
                        || state.jar.sites[site]?.contains(where: { $0.cookie.isShadowed(by: cookie) }) != true
                else { continue }
                state.jar.put(cookie, site: site, from: isPlain ? .plain : .deliberate, at: now)
            }
        }
    }

    /// Whether the store has no cookie, which takes a fraction of a microsecond to answer.
    private var isEmpty: Bool {
        state.withLock { state in
            if state.file?.isLoaded == false || system != nil { prepare(&state, now: clock.now) }
            return state.jar.count == 0
        }
    }

    /// Returns the part of a request's identity that represents the store's cookies: the store's name, and the epoch of the URL's site. Nil for
    /// a site whose cookies have never distinguished users.
    ///
    /// The epoch moves on when the cookies may have become another user's. That depends on cookies that may identify a user
    /// (``Cookie/isSessionLike``). It moves when such a cookie appears under a new name, is removed or expires, and when the app, the response to
    /// an unsafe method or a redirect changes its value. It moves with each successful response of a URL for signing in or out, on
    /// `Clear-Site-Data`, and when the app removes all cookies. It stays when another response changes a value.
    package func scope(for url: URL) -> RequestIdentity.CookieScope? {
        access { state, now in
            guard state.jar.count > 0 || !state.jar.epochs.sites.isEmpty, let target = CookieTarget(url) else {
                return state.jar.epochs.base == 0 ? nil : .init(name: state.name, epoch: state.jar.epochs.base)
            }
            let site = self.site(of: target.host, in: &state)
            state.jar.removeExpired(from: site, at: now)
            let epoch = state.jar.epochs[site]
            guard epoch > 0 || state.jar.hasSession(site) else { return nil }
            return .init(name: state.name, epoch: epoch)
        }
    }

    /// The cookie of a parsed field (RFC 6265bis, section 5.7); nil if this URL must not set it.
    private func cookie(of field: SetCookieField, from target: CookieTarget, _ url: URL, now: Date) -> Cookie? {
        var isHostOnly = true
        var domain = target.host
        if !field.domain.isEmpty, field.domain != target.host || !target.isAddress {
            guard field.domain.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
            guard target.host.domainMatches(field.domain) else { return nil }
            if let list = suffixes {
                // A public suffix may have a host-only cookie.
                isHostOnly = list.contains(field.domain)
                guard !isHostOnly || field.domain == target.host else { return nil }
                domain = field.domain
            } else if let system {
                isHostOnly = !field.domain.contains(".")
                guard !isHostOnly || field.domain == target.host,
                    isHostOnly || system.accepts(domain: field.domain, from: url)
                else { return nil }
                domain = field.domain
            } else {
                reportMissingSuffixes()
            }
        }
        guard target.isSecure || !field.isSecure, field.sameSite != .none || field.isSecure else { return nil }
        var cookie = Cookie(
            name: field.name, value: field.value, domain: domain, path: field.path ?? target.defaultPath,
            expires: field.expires, isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly, sameSite: field.sameSite,
            isHostOnly: isHostOnly)
        cookie.creation = now
        cookie.lastAccess = now
        return cookie.keepsPrefix ? cookie : nil
    }
}

extension HTTPHeaders {
    /// Whether `Clear-Site-Data` names cookies, or everything.
    fileprivate var clearsCookies: Bool {
        values(for: "Clear-Site-Data").contains { value in
            value.listMembers().contains { $0 == "\"cookies\"" || $0 == "\"*\"" }
        }
    }
}

extension CookieStore {
    /// Returns the store for a setting, or nil for ``TransportConfiguration/CookieStorage/off``.
    static func make(_ storage: TransportConfiguration.CookieStorage) -> CookieStore? {
        switch storage {
        case .shared: .shared
        case .memory: .private
        case .off: nil
        case .file(let url): CookieStore(file: url)
        }
    }
}
