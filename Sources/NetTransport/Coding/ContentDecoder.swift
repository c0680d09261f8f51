#if os(Linux)
    import CLibcurl
    import NetCore

    /// The content codings (RFC 9110, section 8.4.1) for which this machine has libraries.
    enum ContentCodings {
        /// The value of `Accept-Encoding`: all codings that can be decoded.
        static let accepted: String = {
            let names = codings.filter { nc_coding_is_available($0.value) != 0 }.map(\.key)
            return names.isEmpty ? "identity" : names.joined(separator: ", ")
        }()

        private static let codings: KeyValuePairs = [
            "gzip": NC_CODING_GZIP, "deflate": NC_CODING_DEFLATE, "br": NC_CODING_BROTLI, "zstd": NC_CODING_ZSTD,
        ]

        /// Each coding costs a decoder, and servers use one or two.
        private static let most = 5

        /// Returns the codings to decode, the outermost first. Empty if one of them is unknown: then the body is not decoded.
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
            let name = name.asciiLowercased
            return codings.first { $0.key == (name == "x-gzip" ? "gzip" : name) }?.value
        }

        static func name(of coding: nc_coding) -> String { codings.first { $0.value == coding }?.key ?? "" }
    }

    /// The memory that all decoders of one transport share.
    final class DecoderMemory: Sendable {
        // Unsafe for the pointer: it does not change, and the C side counts atomically.
        nonisolated(unsafe) let budget: OpaquePointer?

        /// In bytes: 512 bodies of gzip, or 28 of zstd with the largest window, at the same time.
        static let limit = 256 << 20

        init(limit: Int = DecoderMemory.limit) {
            budget = nc_budget_make(limit)
        }

        deinit {
            if let budget { nc_budget_free(budget) }
        }

        /// The bytes that decoders hold now.
        var used: Int { budget.map { nc_budget_used($0) } ?? 0 }
    }

    /// Decodes one content coding, a block at a time: it holds one block, however large the input decodes to.
    final class ContentDecoder {
        let coding: nc_coding
        private let decoder: OpaquePointer
        /// Outlives the decoder, which counts its memory in it.
        private let memory: DecoderMemory
        private let blocks = BlockPool.large
        private var input = Data()
        private var offset = 0
        private var mayHaveMore = false
        private(set) var hasBegun = false

        /// Why the input cannot be decoded.
        enum Problem: Error {
            case malformed
            case largeWindow
            case noMemory
        }

        init(_ coding: nc_coding, memory: DecoderMemory) throws(Problem) {
            guard let budget = memory.budget, let decoder = nc_decoder_make(coding, budget) else { throw .noMemory }
            self.coding = coding
            self.decoder = decoder
            self.memory = memory
        }

        deinit {
            nc_decoder_free(decoder)
        }

        /// Whether the body is complete if the input ends here.
        var isComplete: Bool { nc_decoder_is_complete(decoder) != 0 }
        /// Whether there were bytes after the end of the coded body.
        var hasSurplus: Bool { nc_decoder_has_surplus(decoder) != 0 }

        /// Takes input. Call it after ``next()`` returned nil.
        func feed(_ data: Data) {
            input = data
            offset = 0
            hasBegun = true
        }

        /// Returns the next bytes, or nil if it needs input.
        func next() throws(Problem) -> Data? {
            while offset < input.count || mayHaveMore {
                guard let block = blocks.take() else { throw .noMemory }
                var (taken, made) = (0, 0)
                let result = input.withUnsafeBytes { bytes in
                    nc_decode(
                        decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self).advanced(by: offset),
                        bytes.count - offset, &taken, block.assumingMemoryBound(to: UInt8.self), blocks.size,
                        &made)
                }
                offset += taken
                mayHaveMore = made == blocks.size
                if let problem = problem(result) ?? (taken == 0 && made == 0 && offset < input.count ? .malformed : nil)
                {
                    blocks.give(block)
                    throw problem
                }
                if offset == input.count, !input.isEmpty {
                    input = Data()
                    offset = 0
                }
                if let data = data(block, count: made) { return data }
            }
            return nil
        }

        private func problem(_ result: nc_decoded) -> Problem? {
            switch result {
            case NC_DECODED_OK: nil
            case NC_DECODED_LARGE_WINDOW: .largeWindow
            case NC_DECODED_NO_MEMORY: .noMemory
            default: .malformed
            }
        }

        /// Copies a small piece, so that its reader does not hold a whole block.
        private func data(_ block: UnsafeMutableRawPointer, count: Int) -> Data? {
            guard count * 3 > blocks.size else {
                defer { blocks.give(block) }
                return count > 0 ? Data(bytes: block, count: count) : nil
            }
            return blocks.data(block, count: count)
        }
    }

    /// A body that is decoded while it is read, in the reader's task: bytes that are not read are not decoded, and the server waits.
    ///
    /// A body that ends before its coding, or has a wrong checksum, ends with an error.
    final class DecodedBody: @unchecked Sendable {
        // Unchecked: `HTTPBody(length:pulling:)` lets in one reader at a time.
        private var coded: HTTPBody.AsyncIterator
        private var stages: [Stage] = []
        private var codings: [nc_coding]
        private var failure: (any Error)?
        private let limit: Int
        private let memory: DecoderMemory
        private let wire: TransportResponse.WireBody
        private let url: URL?
        private let didFindSurplus: @Sendable () -> Void

        private struct Stage {
            let decoder: ContentDecoder
            var count = 0
            var hasEnded = false
        }

        /// - Parameters:
        ///   - codings: the outermost first.
        ///   - limit: the most bytes of the body, and of each coding in between.
        init(
            _ body: HTTPBody, codings: [nc_coding], limit: Int, memory: DecoderMemory, wire: TransportResponse.WireBody,
            url: URL?,
            didFindSurplus: @escaping @Sendable () -> Void
        ) {
            coded = body.makeAsyncIterator()
            self.codings = codings
            self.limit = limit
            self.memory = memory
            self.wire = wire
            self.url = url
            self.didFindSurplus = didFindSurplus
        }

        /// Returns the next bytes. It leaves the caller's actor, since decoding takes time.
        @concurrent
        func next() async throws -> Data? {
            if let failure { throw failure }
            do {
                for coding in codings { stages.append(Stage(decoder: try ContentDecoder(coding, memory: memory))) }
                codings = []
                let block = try await next(from: stages.count - 1)
                // The decoders' memory is free for others after the last byte.
                if block == nil { stages = [] }
                return block
            } catch {
                stages = []
                codings = []
                let error = (error as? ContentDecoder.Problem).map(transportError) ?? error
                failure = error
                throw error
            }
        }

        private func next(from index: Int) async throws -> Data? {
            guard stages.indices.contains(index) else { return try await coded.next() }
            let decoder = stages[index].decoder
            while !stages[index].hasEnded {
                if let block = try decoder.next() {
                    stages[index].count += block.count
                    guard stages[index].count <= limit else { throw NetworkError.responseTooLarge(limit: limit) }
                    return block
                }
                if let input = try await next(from: index - 1) {
                    decoder.feed(input)
                } else {
                    stages[index].hasEnded = true
                    try end(decoder)
                }
            }
            return nil
        }

        private func end(_ decoder: ContentDecoder) throws {
            guard decoder.isComplete || !decoder.hasBegun else {
                throw TransportError(
                    .truncatedBody, phase: .receivingBody,
                    message:
                        "The body ended before the end of its coding (\(ContentCodings.name(of: decoder.coding))).",
                    url: url)
            }
            guard decoder.hasSurplus else { return }
            wire.markSurplus()
            didFindSurplus()
        }

        private func transportError(_ problem: ContentDecoder.Problem) -> TransportError {
            let message =
                switch problem {
                case .malformed:
                    "The body does not match its Content-Encoding (\(wire.contentEncoding)), or was corrupted in transit."
                case .largeWindow:
                    "The body's Content-Encoding (\(wire.contentEncoding)) requires a window of more than 8 MiB (RFC 9659)."
                case .noMemory:
                    "The decoders of the transport hold \(DecoderMemory.limit >> 20) MiB already. Read fewer coded bodies at the same time."
                }
            return TransportError(.contentDecodingFailed, phase: .receivingBody, message: message, url: url)
        }
    }
#endif
