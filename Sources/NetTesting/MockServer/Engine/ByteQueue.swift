import NetCore

/// Received bytes that were not looked at yet.
///
/// Raw memory and not an array: sockets read straight into it, and it is as fast in the debug builds that tests are.
final class ByteQueue {
    private var storage: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    /// The last read took all the room there was: an upload is faster with more.
    private var wasFilled = false

    private static let largest = 256 << 10

    init(capacity: Int = 8 << 10) {
        storage = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit { storage.deallocate() }

    var count: Int { end - start }
    var isEmpty: Bool { start == end }

    /// Valid until the queue changes.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[start..<end]) }

    func dropFirst(_ count: Int) {
        start += min(count, end - start)
        if start == end { removeAll() }
    }

    func removeAll() {
        start = 0
        end = 0
    }

    func append(_ data: some ContiguousBytes) {
        data.withUnsafeBytes { bytes in
            makeRoom(for: bytes.count)
            guard let destination = storage.baseAddress, let source = bytes.baseAddress else { return }
            memcpy(destination + end, source, bytes.count)
            end += bytes.count
        }
    }

    /// Reads what the channel has, `limit` bytes at most.
    func receive(from channel: Channel, limit: Int = largest) -> Socket.Outcome {
        makeRoom()
        let room = UnsafeMutableRawBufferPointer(rebasing: storage[end..<(end + min(limit, storage.count - end))])
        let outcome = channel.read(into: room)
        if case .bytes(let count) = outcome {
            end += count
            wasFilled = count == room.count
        }
        return outcome
    }

    /// Moves what is left to the front, and enlarges the storage if it is crowded, or small for what comes in.
    private func makeRoom(for new: Int = 0) {
        guard new == 0 || new > storage.count - end else { return }
        let isCrowded = count + new > storage.count / 2
        let isSmall = wasFilled && storage.count < Self.largest
        guard isCrowded || isSmall || start > storage.count / 2 else { return }
        let target =
            isCrowded || isSmall
            ? UnsafeMutableRawBufferPointer.allocate(byteCount: max(storage.count, count + new) * 2, alignment: 1)
            : storage
        if let destination = target.baseAddress, let source = storage.baseAddress {
            memmove(destination, source + start, count)
        }
        if target.baseAddress != storage.baseAddress {
            storage.deallocate()
            storage = target
        }
        end = count
        start = 0
        wasFilled = false
    }
}
