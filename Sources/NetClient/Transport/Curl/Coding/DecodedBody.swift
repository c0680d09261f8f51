#if os(Linux)
    import CLibcurl
    import NetCore

    /// A body that is decoded while it is read, on the reader's time: what is not read is not decoded, and the server waits.
    ///
    /// A body that ends before its coding does, or whose check sum is wrong, ends with an error.
    final class DecodedBody: @unchecked Sendable {
        // Unchecked: a body is read by one reader at a time, and `HTTPBody(length:pulling:)` lets one alone in.
        private var coded: HTTPBody.AsyncIterator
        private var stages: [Stage] = []
        private var codings: [nc_coding]
        private var failure: (any Error)?
        private let limit: Int
        private let memory: DecoderMemory
        private let wire: WireBody
        private let url: URL?
        private let didFindSurplus: @Sendable () -> Void

        private struct Stage {
            let decoder: ContentDecoder
            var count = 0
            var hasEnded = false
        }

        /// - Parameters:
        ///   - codings: the outermost first.
        ///   - limit: the most bytes to give, also of a coding below the outermost.
        init(
            _ body: HTTPBody, codings: [nc_coding], limit: Int, memory: DecoderMemory, wire: WireBody, url: URL?,
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

        /// The next bytes. Not on an actor's thread: unfolding takes its time.
        @concurrent
        func next() async throws -> Data? {
            if let failure { throw failure }
            do {
                for coding in codings { stages.append(Stage(decoder: try ContentDecoder(coding, memory: memory))) }
                codings = []
                let block = try await next(from: stages.count - 1)
                // What was needed for decoding is let go with the last byte.
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
            wire.noteSurplus()
            didFindSurplus()
        }

        private func transportError(_ problem: ContentDecoder.Problem) -> TransportError {
            let message =
                switch problem {
                case .broken:
                    "The body is not what its Content-Encoding (\(wire.contentEncoding)) says, or was changed on the way."
                case .largeWindow:
                    "The body's Content-Encoding (\(wire.contentEncoding)) asks for more than 8 MiB of memory (RFC 9659)."
                case .noMemory:
                    "The decoders of the transport hold \(DecoderMemory.limit >> 20) MiB already. Read fewer coded bodies at the same time."
                }
            return TransportError(.contentDecodingFailed, phase: .receivingBody, message: message, url: url)
        }
    }
#endif
