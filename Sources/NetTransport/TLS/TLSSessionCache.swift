#if os(Linux)
    import CLibcurl
    import NetCore

    /// Sessions that later connections may resume.
    final class TLSSessionCache: Sendable {
        struct Key: Hashable, Sendable {
            let name: String
            /// The certificate was verified for this host only.
            let host: String
            let showsCertificate: Bool
        }

        /// A session, with the certificates of its server.
        final class Entry: @unchecked Sendable {  // OpenSSL counts references atomically, and nothing changes it.
            let session: OpaquePointer
            let certificates: [Data]
            fileprivate let end: ContinuousClock.Instant

            /// Takes ownership of the session. `first` is the one that was resumed to get it, if any.
            init(_ session: OpaquePointer, certificates: [Data], resuming first: Entry?) {
                (self.session, self.certificates) = (session, certificates)
                end = first?.end ?? .now + TLSSessionCache.lifetime
            }

            deinit { nc_tls.SSL_SESSION_free(session) }
        }

        /// The time after a handshake for which its verification of the certificates counts, also for sessions that resume each other.
        private static let lifetime = Duration.seconds(3600)
        private static let keyLimit = 256
        /// Servers send two tickets, or more, on each connection of TLS 1.3.
        private static let entryLimit = 4

        private let entries = Locked<[Key: [Entry]]>([:])

        func add(_ entry: Entry, for key: Key) {
            entries.withLock { entries in
                if entries[key] == nil, entries.count >= Self.keyLimit { entries = [:] }
                entries[key, default: []].append(entry)
                if entries[key, default: []].count > Self.entryLimit { entries[key]?.removeFirst() }
            }
        }

        /// Returns the latest session, or nil. One of TLS 1.3 is used once (RFC 8446, appendix C.4).
        func take(_ key: Key) -> Entry? {
            entries.withLock { entries in
                guard let entry = entries[key]?.last, entry.end > .now,
                    nc_tls.SSL_SESSION_is_resumable(entry.session) == 1
                else {
                    entries[key] = nil
                    return nil
                }
                if nc_tls.SSL_SESSION_get_protocol_version(entry.session) >= NC_TLS_VERSION_1_3 {
                    entries[key]?.removeLast()
                }
                return entry
            }
        }

        /// Removes the sessions of a key, with one of which a handshake failed.
        func forget(_ key: Key) { entries.withLock { $0[key] = nil } }
    }
#endif
