import Foundation
import NetCore
import OpenAPIRuntime

/// Replayable bodies up to this size, in bytes, are collected before they are sent. They are then sent in one write with the head, and
/// interceptors that sign or log a request see them as data.
private let largestCollectedBody: Int64 = 64 << 10

extension NetCore.HTTPBody {
    /// Creates a body from that of a generated client, with the same length. It can be replayed, by a retry or a redirect, if that can be
    /// iterated repeatedly.
    ///
    /// - Throws: `NetworkFailure`, if a small body cannot be collected, or has another length than it declares.
    init(openAPI body: OpenAPIRuntime.HTTPBody) async throws(NetworkFailure) {
        var length: Int64?
        if case .known(let bytes) = body.length { length = bytes }
        // The chunks are pulled on demand, so the transport's back pressure reaches the caller's sequence.
        let chunks = body.map { Data($0) }
        guard body.iterationBehavior == .multiple else {
            self.init(stream: chunks, length: length)
            return
        }
        let replayable = NetCore.HTTPBody(length: length, replaying: { chunks })
        guard let length, 0...largestCollectedBody ~= length else {
            self = replayable
            return
        }
        do {
            // Checks the length too.
            self.init(try await replayable.collect(upTo: Int(length)))
        } catch {
            throw NetworkFailure(error)
        }
    }
}

extension OpenAPIRuntime.HTTPBody {
    /// Creates a body from that of a response. Its chunks are read on demand.
    convenience init(_ body: NetCore.HTTPBody) {
        self.init(
            body, length: body.length.map(Length.known) ?? .unknown,
            iterationBehavior: body.isReplayable ? .multiple : .single)
    }
}
