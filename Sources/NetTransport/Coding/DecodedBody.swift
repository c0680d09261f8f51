#if os(Linux)
    import NetCore

    /// A body that is decoded while it is read, in the reader's task: bytes that are not read are not decoded, and the server waits.
    ///
    /// A body that ends before its coding, or has a wrong checksum, ends with an error.
    final class DecodedBody: @unchecked Sendable {
        // Unchecked: `HTTPBody(length:pulling:)` lets in one reader at a time.
        private var coded: HTTPBody.AsyncIterator
        private var stages: [Stage] = []
        private var codings: [Decompressor.Format]
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
            _ body: HTTPBody, codings: [Decompressor.Format], limit: Int, memory: DecoderMemory,
            wire: TransportResponse.WireBody, url: URL?, didFindSurplus: @escaping @Sendable () -> Void
        ) {
            coded = body.makeAsyncIterator()
            (self.codings, self.limit, self.memory) = (codings, limit, memory)
            (self.wire, self.url, self.didFindSurplus) = (wire, url, didFindSurplus)
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
                let error = (error as? Decompressor.Problem).map(transportError) ?? error
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
                    message: "The body ended before the end of its coding (\(decoder.coding.rawValue)).",
                    url: url)
            }
            guard decoder.hasSurplus else { return }
            wire.markSurplus()
            didFindSurplus()
        }

        private func transportError(_ problem: Decompressor.Problem) -> TransportError {
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
