internal import NIOCore
internal import NetCache
internal import NetCore

/// The head of a response as bytes: lengths, numbers and texts in network order. JSON takes longer than the rest of a hit.
enum StoredHead {
    private static let version: UInt8 = 1

    static func encode(_ entry: HTTPCacheEntry) -> Data {
        var buffer = ByteBuffer()
        buffer.writeInteger(version)
        buffer.writeText(entry.id)
        buffer.writeInteger(Int64(entry.status))
        buffer.writeHeaders(entry.headers)
        buffer.writeText(entry.responseURL?.absoluteString ?? "")
        buffer.writeHeaders(entry.requestHeaders)
        buffer.writeDate(entry.requestTime)
        buffer.writeDate(entry.responseTime)
        buffer.writeInteger(UInt8(entry.expireTime == nil ? 0 : 1))
        buffer.writeDate(entry.expireTime ?? Date(timeIntervalSince1970: 0))
        return Data(buffer.readableBytesView)
    }

    /// Nil for bytes of another version.
    static func decode(_ data: Data) -> HTTPCacheEntry? {
        var buffer = ByteBuffer(bytes: data)
        guard buffer.readInteger() == version, let id = buffer.readText(),
            let status = buffer.readInteger(as: Int64.self),
            let headers = buffer.readHeaders(), let url = buffer.readText(), let requestHeaders = buffer.readHeaders(),
            let requestTime = buffer.readDate(), let responseTime = buffer.readDate(),
            let hasExpireTime = buffer.readInteger(as: UInt8.self), let expireTime = buffer.readDate()
        else { return nil }
        return HTTPCacheEntry(
            id: id, status: Int(clamping: status), headers: headers, responseURL: url.isEmpty ? nil : URL(string: url),
            requestHeaders: requestHeaders, requestTime: requestTime, responseTime: responseTime,
            expireTime: hasExpireTime == 0 ? nil : expireTime)
    }

    /// A time for the scripts, in microseconds since 1970. Lua counts exactly up to 2^53.
    static func microseconds(_ date: Date) -> String {
        let time = date.timeIntervalSince1970 * 1e6
        return "\(Int64(time.isNaN ? 0 : min(max(time, -9e15), 9e15)))"
    }
}

extension ByteBuffer {
    fileprivate mutating func writeText(_ text: String) {
        let utf8 = text.utf8
        writeInteger(UInt32(clamping: utf8.count))
        writeBytes(utf8)
    }

    fileprivate mutating func writeHeaders(_ headers: HTTPHeaders) {
        writeInteger(UInt32(clamping: headers.count))
        for header in headers {
            writeText(header.name)
            writeText(header.value)
        }
    }

    fileprivate mutating func writeDate(_ date: Date) { writeInteger(date.timeIntervalSince1970.bitPattern) }

    fileprivate mutating func readText() -> String? {
        readInteger(as: UInt32.self).flatMap { readString(length: Int($0)) }
    }

    fileprivate mutating func readHeaders() -> HTTPHeaders? {
        guard let count = readInteger(as: UInt32.self) else { return nil }
        var headers: [HTTPHeader] = []
        for _ in 0..<count {
            guard let name = readText(), let value = readText() else { return nil }
            headers.append(HTTPHeader(name: name, value: value))
        }
        return HTTPHeaders(received: headers)
    }

    fileprivate mutating func readDate() -> Date? {
        readInteger(as: UInt64.self).map { Date(timeIntervalSince1970: Double(bitPattern: $0)) }
    }
}
