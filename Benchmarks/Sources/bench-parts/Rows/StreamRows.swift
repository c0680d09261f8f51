import BenchKit
import NetCore
import NetTransfer

/// What taking a stream apart costs, in pieces of 64 KiB: by the parser alone, and by the sequences on top of it.
func streamRows() -> [Row] {
    let samples = StreamSamples()
    let tokens = { samples.events(of: 250) }
    let ticks = { samples.events(of: 40) }
    func row(_ name: String, goal: String = "", _ run: @escaping () async throws -> Int) -> Row {
        Row(name: name, goal: goal, operations: 1, bytes: StreamSamples.size) { count in
            for _ in 0..<count where try await run() < 1000 { throw Failure("\(name): too few") }
        }
    }
    return [
        row("server-sent events of 250 bytes, parser", goal: "300 MB/s") { try parse(tokens()) },
        row("server-sent events of 40 bytes, parser") { try parse(ticks()) },
        row("server-sent events of 250 bytes, sequence") { try await count(stream(tokens()).serverSentEvents()) },
        row("server-sent events of 40 bytes, sequence") { try await count(stream(ticks()).serverSentEvents()) },
        row("lines of 250 bytes, sequence") { try await count(stream(samples.lines()).lines()) },
    ]
}

private func parse(_ pieces: [Data]) throws -> Int {
    var parser = ServerSentEvent.Parser()
    var count = 0
    for piece in pieces {
        parser.append(piece)
        while try parser.next() != nil { count += 1 }
    }
    return count
}

private func count(_ elements: some AsyncSequence) async throws -> Int {
    var count = 0
    for try await _ in elements { count += 1 }
    return count
}

private func stream(_ pieces: [Data]) -> ResponseStream {
    let chunks = AsyncStream { continuation in
        for piece in pieces { continuation.yield(piece) }
        continuation.finish()
    }
    return ResponseStream(TransportResponse(status: 200, url: nil, body: HTTPBody(stream: chunks)))
}

/// Made when they are first asked for.
private final class StreamSamples {
    static let size = 64 << 20

    private var made: [String: [Data]] = [:]

    /// As chat completions send them.
    func events(of size: Int) -> [Data] {
        let frame = "data: {\"id\":\"chatcmpl-1\"\"}\n\n".utf8.count
        return pieces(of: "data: {\"id\":\"chatcmpl-1\(String(repeating: "x", count: max(0, size - frame)))\"}\n\n")
    }

    func lines() -> [Data] {
        pieces(of: String(repeating: "x", count: 249) + "\n")
    }

    private func pieces(of text: String) -> [Data] {
        if let pieces = made[text] { return pieces }
        let unit = Data(text.utf8)
        var all = Data(capacity: Self.size)
        while all.count < Self.size { all.append(unit) }
        let pieces = stride(from: 0, to: Self.size, by: 64 << 10).map { Data(all[$0..<$0 + 64 << 10]) }
        made[text] = pieces
        return pieces
    }
}
