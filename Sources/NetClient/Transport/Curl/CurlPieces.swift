#if os(Linux)
    import CLibcurl
    import NetCore

    /// A request body of data and files one behind the other, read where they lie: on the loop's thread, without a task that would
    /// have to be waited for and a copy in between.
    final class CurlPieces: Sendable {
        private struct State {
            /// The piece that is being read.
            var index = 0
            /// Bytes of it that have gone already, if it is data.
            var offset = 0
            /// Open, if it is a file.
            var file: OpenFile?
            var failure: (any Error)?
        }

        private let pieces: [HTTPBody]
        private let state = Locked(State())

        init(_ pieces: [HTTPBody]) {
            self.pieces = pieces
        }

        /// Why reading was given up.
        var failure: (any Error)? { state.withLock { $0.failure } }

        /// The next bytes, at most `capacity`: their number, 0 at the end, or libcurl's code for aborting.
        func read(into buffer: UnsafeMutablePointer<CChar>, capacity: Int) -> Int {
            state.withLock { state in
                do {
                    while state.index < pieces.count {
                        let count = try read(pieces[state.index], &state, into: buffer, capacity: capacity)
                        if count > 0 { return count }
                        state.index += 1
                        state.offset = 0
                        state.file = nil
                    }
                    return 0
                } catch {
                    state.failure = error
                    state.file = nil
                    return Int(NC_READFUNC_ABORT)
                }
            }
        }

        /// Begins anew, with no file open.
        func rewind() {
            state.withLock { state in
                (state.index, state.offset, state.file) = (0, 0, nil)
            }
        }

        private func read(
            _ piece: HTTPBody, _ state: inout State, into buffer: UnsafeMutablePointer<CChar>, capacity: Int
        ) throws -> Int {
            switch piece.source {
            case .data(let data):
                let count = min(capacity, data.count - state.offset)
                data.withUnsafeBytes { bytes in
                    _ = bytes.baseAddress.map { memcpy(buffer, $0 + state.offset, count) }
                }
                state.offset += count
                return count
            case .file(let segment):
                let file = try state.file ?? OpenFile(segment)
                state.file = file
                return try file.read(into: buffer, upToCount: capacity)
            case .stream:
                throw NetworkError.bodyNotReplayable
            }
        }
    }
#endif
