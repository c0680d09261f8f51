#if os(Linux)
    import NetCore

    /// The blocks to send over a connection that left HTTP, in order. A sender waits until the system has taken its block, so it is as slow
    /// as the peer.
    final class UpgradeOutbox: Sendable {
        /// A block at a fixed address: after a partial write, OpenSSL requires the same address again.
        final class Block: @unchecked Sendable {
            // Unchecked: only the loop's thread uses `sent`, and the outbox's lock guards the rest.
            let bytes: UnsafeMutableRawBufferPointer
            fileprivate(set) var sent = 0
            fileprivate var sender: UnsafeContinuation<Void, any Error>?
            fileprivate var hasBegun = false
            fileprivate var isWithdrawn = false

            fileprivate init(_ data: Data) {
                bytes = .allocate(byteCount: data.count, alignment: 1)
                data.copyBytes(to: bytes)
            }

            deinit {
                bytes.deallocate()
            }
        }

        private struct State {
            var blocks = FIFO<Block>()
            /// The error of every later send.
            var ending: (any Error)?
        }

        private let state = Locked(State())

        // MARK: The sender's side

        /// Returns when the system has taken the bytes.
        ///
        /// - Parameter wake: called when there are bytes for the loop to send.
        func send(_ data: Data, wake: @Sendable () -> Void) async throws {
            try Task.checkCancellation()
            guard !data.isEmpty else { return }
            let block = Block(data)
            try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                    let refusal = state.withLock { state -> (any Error)? in
                        if let ending = state.ending { return ending }
                        if block.isWithdrawn { return CancellationError() }
                        block.sender = continuation
                        state.blocks.append(block)
                        return nil
                    }
                    if let refusal { continuation.resume(throwing: refusal) } else { wake() }
                }
            } onCancel: {
                withdraw(block)
            }
        }

        /// Removes a block that has not begun. One that has is sent to its end, since half of a block would corrupt the stream.
        private func withdraw(_ block: Block) {
            let sender = state.withLock { state -> UnsafeContinuation<Void, any Error>? in
                block.isWithdrawn = true
                if !block.hasBegun { state.blocks.removeAll { $0 === block } }
                defer { block.sender = nil }
                return block.sender
            }
            sender?.resume(throwing: CancellationError())
        }

        // MARK: The loop's side

        /// Returns the block to send next, or nil if there is none.
        func current() -> Block? {
            state.withLock { state in
                state.blocks.first?.hasBegun = true
                return state.blocks.first
            }
        }

        /// Notes that the system has taken more bytes of the current block.
        func advance(_ block: Block, by count: Int) {
            block.sent += count
            guard block.sent >= block.bytes.count else { return }
            let sender = state.withLock { state -> UnsafeContinuation<Void, any Error>? in
                _ = state.blocks.popFirst()
                defer { block.sender = nil }
                return block.sender
            }
            sender?.resume()
        }

        /// Ends all sends.
        ///
        /// - Parameter failure: their error; nil if the peer closed the connection.
        func finish(_ failure: (any Error)?) {
            let error =
                failure
                ?? TransportError(
                    .connectionLost, phase: .sending, message: "The peer has closed the connection.",
                    isUnprocessed: false)
            let senders = state.withLock { state -> [UnsafeContinuation<Void, any Error>] in
                state.ending = state.ending ?? error
                defer { state.blocks = FIFO() }
                return state.blocks.all.compactMap { block in
                    defer { block.sender = nil }
                    return block.sender
                }
            }
            for sender in senders { sender.resume(throwing: error) }
        }
    }
#endif
