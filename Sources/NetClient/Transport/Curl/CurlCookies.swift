#if os(Linux)
    import CLibcurl
    import NetCore

    /// The cookies of a transport: libcurl's engine (RFC 6265, with the public-suffix list), and their file.
    ///
    /// The file has the format of Netscape's cookie files, as curl's own, and holds session cookies too.
    final class CurlCookies {
        private let jar: OpaquePointer
        private let file: URL?
        private var saved = ""
        /// Whether a response has set cookies since the last ``save()``.
        private(set) var isDirty = false
        /// Whose cookies there may be: see ``site(of:)``. None is ever taken out.
        private var sites: Set<Substring> = []

        init?(_ storage: CookieStorage, share: OpaquePointer?) throws {
            guard storage != .off else { return nil }
            guard let share, let jar = nc_easy_make(),
                nc_set_pointer(jar, NC_OPT_SHARE, UnsafeRawPointer(share)) == 0,
                nc_set_pointer(jar, NC_OPT_COOKIEFILE, "") == 0
            else { throw NetworkError.unsupported("This libcurl keeps no cookies: set the cookie storage to off.") }
            self.jar = jar
            if case .file(let url) = storage {
                file = url
                try load(url)
            } else {
                file = nil
            }
        }

        deinit {
            nc_easy_free(jar)
        }

        /// Whether there may be cookies to send to the URL's host: its site has set some, or some of its were read from the file.
        func mayHoldAny(for url: URL?) -> Bool {
            guard !sites.isEmpty else { return false }
            guard let host = url?.origin?.host else { return true }
            return sites.contains(Self.site(of: host))
        }

        /// What a host has in common with all that may set cookies for it: its last two labels, or an address as it is. Where these are a
        /// public suffix (`co.uk`) strangers share it, which costs them some caching and nothing else.
        private static func site(of host: String) -> Substring {
            guard !host.hasPrefix("["), let last = host.utf8.last, !last.isDigit,
                let dot = host.lastIndex(of: "."), let first = host[..<dot].lastIndex(of: ".")
            else { return host[...] }
            return host[host.index(after: first)...]
        }

        /// A response of that URL has come with cookies.
        func received(_ easy: OpaquePointer, from url: URL?, _ use: CurlRequest.CookieUse) {
            switch use {
            case .none: return
            case .shared: break
            case .storedOnly:
                // They went into a jar of that handle's own.
                for line in Self.lines(of: easy) { nc_set_pointer(jar, NC_OPT_COOKIELIST, line) }
                nc_set_pointer(easy, NC_OPT_COOKIELIST, "ALL")
            }
            sites.insert(Self.site(of: url?.origin?.host ?? ""))
            isDirty = file != nil
        }

        /// Writes the file, if anything has changed.
        func save() {
            isDirty = false
            guard let file else { return }
            let lines = Self.lines(of: jar)
            let text = lines.isEmpty ? "" : "# Netscape HTTP Cookie File\n" + lines.joined(separator: "\n") + "\n"
            guard text != saved else { return }
            // A disk that is full must not fail a request that succeeded; the next change tries again.
            if CurlCookieFile.write(text, to: file) { saved = text }
        }

        private func load(_ url: URL) throws {
            guard let text = try CurlCookieFile.read(url) else { return }
            for line in text.split(whereSeparator: \.isNewline) {
                if line.hasPrefix("#"), !line.hasPrefix("#HttpOnly_") { continue }
                nc_set_pointer(jar, NC_OPT_COOKIELIST, String(line))
                // The domain, behind a mark for cookies of HTTP alone and a dot for those of subdomains too.
                let domain = line.prefix { $0 != "\t" }.replacingOccurrences(of: "#HttpOnly_", with: "")
                sites.insert(Self.site(of: String(domain.drop { $0 == "." }).asciiLowercased))
            }
            saved = text
        }

        private static func lines(of easy: OpaquePointer) -> [String] {
            let list = nc_cookies(easy)
            defer { nc_list_free(list) }
            var lines: [String] = []
            var node = list
            while let entry = node?.pointee {
                if let text = entry.data { lines.append(String(cString: text)) }
                node = entry.next
            }
            return lines.sorted()
        }
    }

    /// Reads and writes a cookie file so that no moment leaves half of one, and none but its owner can read it.
    enum CurlCookieFile {
        /// Nil if there is none.
        static func read(_ url: URL) throws -> String? {
            guard url.isFileURL else {
                throw NetworkError.unsupported("Cookies can be kept in a file only: give a file URL.")
            }
            do {
                return String(decoding: try Data(contentsOf: url), as: UTF8.self)
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
                return nil
            } catch {
                throw NetworkError.unsupported(
                    "The cookie file \(url.path) cannot be read: \(error.localizedDescription)")
            }
        }

        static func write(_ text: String, to url: URL) -> Bool {
            let temporary = url.path + ".new-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return false }
            let bytes = Array(text.utf8)
            var written = 0
            while written < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Foundation.write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                written += count
            }
            let isSafe = written == bytes.count && fsync(descriptor) == 0
            close(descriptor)
            guard isSafe, rename(temporary, url.path) == 0 else {
                unlink(temporary)
                return false
            }
            return true
        }
    }
#endif
