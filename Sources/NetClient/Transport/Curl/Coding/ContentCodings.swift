#if os(Linux)
    import CLibcurl
    import NetCore

    /// The content codings (RFC 9110, section 8.4.1) that this machine has the libraries for.
    enum ContentCodings {
        /// For `Accept-Encoding`: those that can be decoded.
        static let accepted: String = {
            let names = [
                ("gzip", NC_CODING_GZIP), ("deflate", NC_CODING_DEFLATE), ("br", NC_CODING_BROTLI),
                ("zstd", NC_CODING_ZSTD),
            ].filter { nc_coding_is_available($0.1) != 0 }.map(\.0)
            return names.isEmpty ? "identity" : names.joined(separator: ", ")
        }()

        /// More than that no server needs; each costs a decoder.
        private static let most = 5

        /// What has to be decoded, in the order in which it has to be. Nothing if one of them is unknown: then the body is given as it
        /// came.
        ///
        /// - Throws: ``TransportError/Code/contentDecodingFailed`` if there are more than five.
        static func outermostFirst(in headers: HTTPHeaders, url: URL?) throws(TransportError) -> [nc_coding] {
            var codings: [nc_coding] = []
            for name in headers.values(for: "Content-Encoding").flatMap({ $0.listMembers().map(String.init) }) {
                if name.equalsIgnoringASCIICase("identity") { continue }
                guard let coding = coding(named: name), nc_coding_is_available(coding) != 0 else { return [] }
                codings.append(coding)
                guard codings.count <= most else {
                    throw TransportError(
                        .contentDecodingFailed, phase: .receivingHead,
                        message: "Content-Encoding names more than \(most) codings, one over the other.", url: url)
                }
            }
            return codings.reversed()
        }

        private static func coding(named name: String) -> nc_coding? {
            switch name.asciiLowercased {
            case "gzip", "x-gzip": NC_CODING_GZIP
            case "deflate": NC_CODING_DEFLATE
            case "br": NC_CODING_BROTLI
            case "zstd": NC_CODING_ZSTD
            default: nil
            }
        }

        static func name(of coding: nc_coding) -> String {
            switch coding {
            case NC_CODING_GZIP: "gzip"
            case NC_CODING_DEFLATE: "deflate"
            case NC_CODING_BROTLI: "br"
            default: "zstd"
            }
        }
    }

    /// What the decoders of one transport hold in memory at the same time, which is bounded.
    final class DecoderMemory: Sendable {
        // Unsafe: the C side counts atomically, and the pointer does not change.
        nonisolated(unsafe) let budget: OpaquePointer?

        /// Enough for 512 bodies of gzip, or for 28 of zstd with the largest window.
        static let limit = 256 << 20

        init(limit: Int = DecoderMemory.limit) {
            budget = nc_budget_make(limit)
        }

        deinit {
            if let budget { nc_budget_free(budget) }
        }

        /// Bytes that decoders hold now.
        var used: Int { budget.map { nc_budget_used($0) } ?? 0 }
    }
#endif
