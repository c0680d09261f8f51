#if os(Linux)
    import CLibcurl
    import NetCore

    /// What is to be sent over a connection that libcurl only opened: blocks in the order in which they came. Who sends one waits
    /// until the system has taken it, and so is as slow as the peer.
    final class CurlOutbox: Sendable {
        /// A block, at an address that stays: TLS wants what it could not send offered again from the same place.
        final class Block: @unchecked Sendable {
            // Unchecked: `sent` is of the loop's thread alone, the rest is behind the outbox's lock.
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
            var blocks: [Block] = []
            var first = 0
            var isSettled = false
            /// Why nothing more can be sent.
            var ending: (any Error)?
        }

        private let state = Locked(State())

        // MARK: The sender's side

        /// Whether the connection has left HTTP, so that the timeouts of an exchange no longer hold.
        var isSettled: Bool { state.withLock(\.isSettled) }

        func settle() {
            state.withLock { $0.isSettled = true }
        }

        /// - Parameter wake: called when there is something for the loop to do.
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

        /// A block that has not begun is not sent. One that has is sent to its end, though nobody waits for it: half of it would
        /// spoil what comes after.
        private func withdraw(_ block: Block) {
            let sender = state.withLock { state -> UnsafeContinuation<Void, any Error>? in
                block.isWithdrawn = true
                if !block.hasBegun, let index = state.blocks[state.first...].firstIndex(where: { $0 === block }) {
                    state.blocks.remove(at: index)
                }
                defer { block.sender = nil }
                return block.sender
            }
            sender?.resume(throwing: CancellationError())
        }

        // MARK: The loop's side

        /// The block to go on with, or nil if there is none.
        func current() -> Block? {
            state.withLock { state in
                guard state.first < state.blocks.count else { return nil }
                let block = state.blocks[state.first]
                block.hasBegun = true
                return block
            }
        }

        /// That many more bytes of the current block were taken.
        func advance(_ block: Block, by count: Int) {
            block.sent += count
            guard block.sent >= block.bytes.count else { return }
            let sender = state.withLock { state -> UnsafeContinuation<Void, any Error>? in
                state.first += 1
                if state.first == state.blocks.count {
                    state.blocks.removeAll(keepingCapacity: true)
                    state.first = 0
                } else if state.first >= 64 {
                    state.blocks.removeFirst(state.first)
                    state.first = 0
                }
                defer { block.sender = nil }
                return block.sender
            }
            sender?.resume()
        }

        /// Nothing more is sent. Nil stands for the peer's end.
        func finish(_ failure: (any Error)?) {
            let error =
                failure
                ?? TransportError(
                    .connectionLost, phase: .sending, message: "The peer has closed the connection.",
                    isUnprocessed: false)
            let senders = state.withLock { state -> [UnsafeContinuation<Void, any Error>] in
                state.ending = state.ending ?? error
                let waiting = state.blocks[state.first...]
                state.blocks = []
                state.first = 0
                return waiting.compactMap { block in
                    defer { block.sender = nil }
                    return block.sender
                }
            }
            for sender in senders { sender.resume(throwing: error) }
        }
    }
#endif
