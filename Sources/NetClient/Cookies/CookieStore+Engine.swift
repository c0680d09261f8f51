extension CookieStore {
    /// Returns the value of a request's `Cookie` field, or nil if the request carries no cookie (RFC 6265bis, section 5.8.3).
    ///
    /// - Parameters:
    ///   - url: The URL of the request. A `Host` field does not matter.
    ///   - method: The method. Calls that started at another site send `SameSite=Lax` cookies with safe methods only.
    ///   - firstParty: The URL at which the call started; nil if it is the request's.
    package func cookieField(for url: URL, method: HTTPMethod, firstParty: URL?) -> String? {
        guard mayHoldAny(for: url), let target = CookieTarget(url) else { return nil }
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

    /// Stores the cookies of a response, and removes those of its site if it says `Clear-Site-Data: "cookies"`.
    ///
    /// A response that clears cookies keeps none of its own, as in browsers. An insecure one cannot clear, unless it is from this
    /// machine.
    ///
    /// - Parameters:
    ///   - headers: All fields of the response.
    ///   - url: The URL of the request as sent.
    ///   - method: The method of the request. Cookies of a response to an unsafe one may be another user's, and move the epoch.
    package func receive(_ headers: HTTPHeaders, from url: URL, method: HTTPMethod) {
        let fields = headers.values(for: "Set-Cookie")
        let clears = headers.clearsCookies
        guard !fields.isEmpty || clears, let target = CookieTarget(url) else { return }
        access { state, now in
            let site = self.site(of: target.host, in: &state)
            state.jar.removeExpired(from: site, at: now)
            if clears, target.isSecure || url.isLoopback {
                state.jar.remove(from: site) { _ in true }
                return
            }
            guard system?.acceptsCookies != false else { return }
            for field in fields {
                guard let field = SetCookieField(field, now: now),
                    let cookie = cookie(of: field, from: target, url, now: now),
                    target.isSecure || cookie.isSecure || !state.jar.hasSecureShadow(of: cookie, site: site)
                else { continue }
                state.jar.put(cookie, site: site, from: method.isSafe ? .safe : .deliberate, at: now)
            }
        }
    }

    /// Whether the store may have cookies for the URL's site. Takes less than a microsecond.
    package func mayHoldAny(for url: URL) -> Bool {
        state.withLock { state in
            if state.file?.isLoaded == false || system != nil { prepare(&state, now: clock.now) }
            return state.jar.mayHoldAny(for: url)
        }
    }

    /// Returns the part of a request's identity that represents the store's cookies: the store's name, and the epoch of the URL's site.
    ///
    /// The epoch moves on when the cookies may have become another user's: when the app sets, removes or clears cookies, when an
    /// `HttpOnly` cookie appears under a new name, is deleted or expires, when the response to an unsafe method brings a new
    /// cookie or value, and on `Clear-Site-Data`. It stays when the response to a safe method changes a value.
    package func scope(for url: URL) -> (name: String, epoch: UInt64) {
        access { state, now in
            guard state.jar.mayKnow(url), let target = CookieTarget(url) else {
                return (state.name, state.jar.epochs.base)
            }
            let site = self.site(of: target.host, in: &state)
            state.jar.removeExpired(from: site, at: now)
            return (state.name, state.jar.epochs[site])
        }
    }

    /// The cookie of a parsed field (RFC 6265bis, section 5.7); nil if this URL must not set it.
    private func cookie(
        of field: SetCookieField, from target: CookieTarget, _ url: URL, now: Date
    ) -> Cookie? {
        var isHostOnly = true
        var domain = target.host
        if !field.domain.isEmpty, field.domain != target.host || !target.isAddress {
            guard field.domain.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
            guard target.host.domainMatches(field.domain) else { return nil }
            if let list = suffixes.list {
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
                report(missing: suffixes)
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
            value.utf8.split(separator: UInt8(ascii: ",")).contains { part in
                let text = String(Substring(part).trimmingHTTPWhitespace)
                return text == "\"cookies\"" || text == "\"*\""
            }
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
