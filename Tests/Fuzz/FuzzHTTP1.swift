/// What Scripts/fuzz-http1 runs with libFuzzer: the parser of HTTP/1.1 reads bytes that the fuzzer makes.
///
/// The first byte of an input says whether the response answers HEAD, and which limits hold. The second one is the place of a split.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP1(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count >= 2 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let response = Array(input[2...])
    let isHead = input[0] & 1 != 0
    let limits =
        input[0] & 2 == 0
        ? HTTP1Limits() : HTTP1Limits(headBytes: 200, fieldCount: 8, chunkLineBytes: 16, interimResponses: 2)

    let whole = Run(response, pieces: [response.count], isHead, limits)
    let split = response.count * Int(input[1]) / 255
    let halves = Run(response, pieces: [split, response.count - split], isHead, limits)
    let bytes = Run(response, pieces: Array(repeating: 1, count: response.count), isHead, limits)
    guard whole.outcome == halves.outcome, whole.outcome == bytes.outcome else {
        fatalError("The split changes the outcome:\n\(whole.outcome)\n\(halves.outcome)\n\(bytes.outcome)")
    }
    return 0
}

/// A response that arrives in pieces, after which the connection is closed.
private struct Run {
    /// A step other than a part of the body, with bytes in place of ranges.
    enum Event: Equatable {
        case interim(Int, ArraySlice<UInt8>)
        case upgrade(ArraySlice<UInt8>)
        case head(Int, HTTP1BodyLength, isEncoded: Bool, ArraySlice<UInt8>)
        case end(ArraySlice<UInt8>?)
        case failure(HTTP1ParseError)
    }

    struct Outcome: Equatable {
        var events: [Event] = []
        var body: [UInt8] = []
        var rest: [UInt8] = []
        var isReusable = false
    }

    private(set) var outcome = Outcome()
    private var parser: HTTP1ResponseParser
    private var pending: [UInt8] = []
    private var declared: Int64?
    private var hasFailed = false

    init(_ response: [UInt8], pieces: [Int], _ isHead: Bool, _ limits: HTTP1Limits) {
        parser = HTTP1ResponseParser(isHead: isHead, limits: limits)
        var start = 0
        for count in pieces {
            pending += response[start..<start + count]
            start += count
            parsePending()
        }
        parsePending()
        outcome.isReusable = parser.mayBeReused
        // After an error, what is left depends on the pieces.
        if !hasFailed { outcome.rest = pending }
        close()
        check(outcome.body.count <= response.count, "The body is longer than the response.")
    }

    private mutating func parsePending() {
        // Each call consumes bytes or changes the state, so that there are few calls.
        var callsLeft = 3 * pending.count + 8
        while !hasFailed {
            callsLeft -= 1
            check(callsLeft > 0, "The parser does not come to an end.")
            do {
                let (step, consumed) = try Self.next(&parser, pending)
                check(0...pending.count ~= consumed, "It consumed \(consumed) of \(pending.count) bytes.")
                record(step)
                pending.removeFirst(consumed)
                if step == .needMore { return }
            } catch { fail(error) }
        }
    }

    private mutating func close() {
        guard !hasFailed else { return }
        do { record(try parser.connectionClosed()) } catch { return fail(error) }
        if let declared {
            check(outcome.body.count == declared, "The body has \(outcome.body.count) of \(declared) bytes.")
        }
    }

    private mutating func record(_ step: HTTP1ResponseParser.Step) {
        switch step {
        case .needMore: break
        case .interim(let status, let head): outcome.events.append(.interim(status, bytes(head)))
        case .upgrade(let head): outcome.events.append(.upgrade(bytes(head.bytes)))
        case .head(let head):
            check(200...599 ~= head.status, "The status is \(head.status).")
            if case .bytes(let count) = head.bodyLength { declared = count }
            if head.bodyLength == .none { declared = 0 }
            outcome.events.append(.head(head.status, head.bodyLength, isEncoded: head.isEncoded, bytes(head.bytes)))
        case .body(let range):
            check(!range.isEmpty, "A step has no byte of the body.")
            outcome.body += bytes(range)
        case .end(let trailers): outcome.events.append(.end(trailers.map { bytes($0) }))
        }
        if let left = parser.expectedBodyBytes, let declared {
            check(left + Int64(outcome.body.count) == declared, "\(left) of \(declared) bytes are left.")
        }
    }

    private func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> {
        check(range.lowerBound >= 0 && range.upperBound <= pending.count, "\(range) is not in \(pending.count) bytes.")
        return pending[range]
    }

    private mutating func fail(_ error: HTTP1ParseError) {
        hasFailed = true
        outcome.events.append(.failure(error))
        check(!parser.mayBeReused, "The connection would be used again.")
        do {
            _ = try Self.next(&parser, pending)
            check(false, "The parser goes on after an error.")
        } catch let second { check(second == error, "Another error: \(second).") }
    }

    private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { fatalError(message()) }
    }

    private static func next(
        _ parser: inout HTTP1ResponseParser, _ bytes: [UInt8]
    ) throws(HTTP1ParseError) -> HTTP1ResponseParser.Parsed { try parser.next(bytes.span) }
}
