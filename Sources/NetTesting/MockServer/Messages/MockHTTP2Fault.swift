public import NetCore

/// A fault of a ``MockResponse`` over HTTP/2, set by ``MockResponse/fault(http2:at:after:)``.
///
/// ```swift
/// server.on("/cut", .text("cut short").fault(http2: .reset(.noError), at: .afterBody(40)))
/// server.on("/refused", .ok.fault(http2: .reset(.refusedStream), at: .beforeHead))
/// ```
///
/// If a client may ignore the fault, the rest of the response follows, up to END_STREAM. Make faults that are not here from
/// ``frames(_:)`` and ``raw(_:)``. A ``MockFault`` works over HTTP/2, too: a fault of the connection acts on the whole connection, and a
/// malformed response becomes the nearest fault of HTTP/2.
public struct MockHTTP2Fault: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The point at which a fault strikes.
    public enum Point: Hashable, Sendable {
        /// Before the HEADERS of the response.
        case beforeHead
        /// After the HEADERS.
        case afterHead
        /// After that many bytes of DATA, or after the whole body if it is shorter. END_STREAM is not sent before it.
        case afterBody(Int)

        /// Each point once, the last one after 40 bytes.
        public static let examples: [Point] = [.beforeHead, .afterHead, .afterBody(40)]
    }

    /// The last-stream-id of a GOAWAY.
    public enum LastStream: Hashable, Sendable {
        /// The highest stream that the server accepted.
        case accepted
        /// The stream of the response.
        case current
        /// The stream before that of the response, so that the response's was not processed.
        case previous
        case id(Int)
    }

    /// The name of the fault and its arguments, bytes in hexadecimal. Faults with the same description are equal.
    public let description: String
    /// Whether the response never ends, so that the client needs a timeout or a limit.
    public let isEndless: Bool
    /// Returns the steps that send a response with the fault.
    package let steps: @Sendable (HTTP2Response) -> [Step]

    package init(_ description: String, isEndless: Bool = false, steps: @escaping @Sendable (HTTP2Response) -> [Step]) {
        self.description = description
        self.isEndless = isEndless
        self.steps = steps
    }

    /// Creates a fault that is some steps at its point, after which the rest of the response follows.
    package init(_ description: String, isEndless: Bool = false, inserting steps: [Step]) {
        self.init(description, isEndless: isEndless) { $0.before + steps + $0.rest }
    }

    /// Creates a fault that is some steps at its point, after which nothing of the response follows.
    package init(_ description: String, isEndless: Bool = false, ending steps: [Step]) {
        self.init(description, isEndless: isEndless) { $0.before + steps }
    }

    public static func == (left: Self, right: Self) -> Bool { left.description == right.description }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// RST_STREAM with that code. Nothing of the response follows.
    public static func reset(_ code: TransportError.HTTP2Code) -> Self {
        Self("reset(\(code))", ending: [.reset(code)])
    }

    /// GOAWAY. With ``TransportError/HTTP2Code/noError`` the accepted streams are completed. With another code the connection ends.
    public static func goAway(_ code: TransportError.HTTP2Code, last: LastStream = .accepted) -> Self {
        Self("goAway(\(code), last: \(last))", inserting: [.goAway(code, last)])
    }

    /// The TCP connection is closed (FIN), with all its streams.
    public static let close = Self("close", ending: [.perform(.close)])

    /// Bytes instead of a frame.
    public static func raw(_ data: Data) -> Self { Self("raw(\(data.hexadecimal))", inserting: [.raw(data, times: 1)]) }

    /// Any frames.
    public static func frames(_ frames: [MockHTTP2Frame]) -> Self {
        Self("frames(\(text(frames)))", inserting: [.frames(frames)])
    }

    /// One frame many times.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - count: the number of frames, or nil for frames without an end.
    public static func flood(_ frame: MockHTTP2Frame, frames count: Int? = nil) -> Self {
        let batch = Array(repeating: frame, count: count == nil ? 64 : 1)
        return Self(
            "flood(\(text([frame])), frames: \(count.map(String.init) ?? "nil"))", isEndless: count == nil,
            inserting: [.frames(batch, times: Int64(count ?? .max))])
    }

    /// SETTINGS_INITIAL_WINDOW_SIZE of 2^31.
    public static let badSetting = Self("badSetting", inserting: [.frames([.setting(4, 1 << 31)])])
    /// Bytes that are not a frame.
    public static let garbage = Self("garbage", inserting: [.raw(Data(repeating: 0xFF, count: 100), times: 1)])
    /// PUSH_PROMISE, which clients disable.
    public static let pushPromise = Self("pushPromise", inserting: [.frames([promise])])
    /// GET, http, / and an authority.
    private static let promise = MockHTTP2Frame(
        .pushPromise, flags: MockHTTP2Frame.endHeaders,
        payload: Data([0, 0, 0, 2, 0x82, 0x86, 0x84, 0x01, 1, 0x78]))
    /// A response of HTTP/1.1.
    public static let http1Response = Self(
        "http1Response", inserting: [.raw(Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8), times: 1)])
    /// A field block with an index beyond the table.
    public static let badIndex = Self("badIndex", inserting: [.frames([.headers([0x88, 0xFF, 0xFF, 0x03])])])

    /// A valid field list of about that many bytes, over CONTINUATION frames.
    public static func largeHeaders(bytes: Int) -> Self {
        Self("largeHeaders(bytes: \(bytes))") { response in
            let fields = (0..<max(1, bytes / 1_000)).map {
                HTTPHeader(name: "x-large-\($0)", value: String(repeating: "x", count: 960))
            }
            return response.replacingHead { $0 + fields }
        }
    }

    private static func text(_ frames: [MockHTTP2Frame]) -> String {
        frames.map { "\($0.stream == nil ? "own " : "")\($0.encoded(on: 0).hexadecimal)" }.joined(separator: ", ")
    }

    /// Each fault with some of its codes and numbers.
    public static let allCases: [MockHTTP2Fault] =
        resets + [
            .goAway(.noError), .goAway(.noError, last: .current), .goAway(.noError, last: .previous),
            .goAway(.internalError), .goAway(.enhanceYourCalm, last: .previous), .close, .badSetting, .garbage,
            .pushPromise, .http1Response, .badIndex, .largeHeaders(bytes: 300_000), .flood(.ping),
        ]

    /// RST_STREAM with each registered code.
    public static let resets: [MockHTTP2Fault] = TransportError.HTTP2Code.allCases.map { .reset($0) }
}
