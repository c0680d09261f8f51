import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite("Killed while downloading", .timeLimit(.minutes(5)), .startsProcesses) struct DownloadKillTests {
    private static let size = 4 << 20
    private static let data = MockResponse.generatedBytes(count: size)

    @Test func killedDownloadIsResumedByTheNextProcess() async throws {
        var random = SeededGenerator(state: 4711)
        var rounds: [(kept: Int64, resumedByRange: Bool)] = []
        for number in 0..<Volume.pick(quick: 10, full: 50) {
            // At the very edges too: before the first byte, and behind the last.
            let fraction =
                number % 10 == 9 ? [0, 0.01, 0.98, 1, 1][number / 10] : Double.random(in: 0.07...0.9, using: &random)
            rounds.append(try await round(at: fraction))
        }
        let middle = rounds.filter { $0.kept > Int64(Self.size / 20) && $0.kept < Int64(Self.size / 20 * 19) }
        #expect(middle.count * 5 >= rounds.count * 4, "the kills have to hit the transfer: \(rounds.map(\.kept))")
        #expect(middle.allSatisfy { $0.resumedByRange })
        print("download kills: \(rounds.count), \(middle.count) of them between 5 % and 95 %, all files equal")
    }

    @Test func killedParallelDownloadIsResumed() async throws {
        for fraction in [0.2, 0.5, 0.8] { #expect(try await round(at: fraction, connections: 3).resumedByRange) }
    }

    /// Kills a download when a fraction of it has arrived, and lets another process end it. The server holds back the rest. Returns how many
    /// bytes were there when the process was dead, and whether the other one asked for the missing ones alone.
    private func round(
        at fraction: Double, connections: Int = 1
    ) async throws -> (kept: Int64, resumedByRange: Bool) {
        let (bench, length) = try (DownloadBench(), Self.size / connections)
        let isHolding = Locked(true)
        let server = try FileServer(Self.data) { _, _, honest in
            isHolding.withLock { $0 } ? honest.held(at: Int(fraction * Double(length))) : honest
        }
        let target = Int64(fraction * Double(length)) * Int64(connections)
        let program = try Executable.beside("download-worker")
        let arguments = [
            server.url.absoluteString, bench.file.path, bench.directory.file("registry").path, "\(connections)",
        ]
        let process = try BackgroundProcess(program, arguments)
        _ = try await waitUntil("the first request is there") { server.server.requestCount > 0 ? true : nil }
        // Not `waitUntil`, whose pauses grow too long for this.
        while process.termination == nil, try bench.bytesThere < target { try await SystemClock().sleep(for: 0.0003) }
        process.send(signal: SIGKILL)
        let end = process.stop()
        isHolding.withLock { $0 = false }
        // One that was done before the signal came leaves nothing to do. One that failed is a fault.
        #expect(end == .signalled(SIGKILL) || end == .exited(0), "\(end) \(process.output)")
        let kept = try bench.bytesThere
        // Where each part that is not at its end has to go on.
        let missing = try bench.partLengths.filter { $0.value < length }.map { Int64(length * $0.key) + $0.value }
        let before = server.server.requestCount
        if end == .signalled(SIGKILL) {
            let heir = try await ProcessRunner.run(program, arguments)
            #expect(heir.termination == .exited(0), "\(heir.text) \(heir.errorText)")
            // Of one that was at its end, nothing is left to go on with.
            #expect([0, Int64(Self.size)].contains(kept) || heir.text.contains("resumes at \(kept)"))
        }
        let later = server.server.requests.dropFirst(before)
        let offsets = later.compactMap { $0.headers["Range"]?.dropFirst("bytes=".count).prefix { $0 != "-" } }
        #expect(try Data(contentsOf: bench.file) == Self.data && bench.isClean(with: ["report.bin"]))
        return (kept, Set(offsets.compactMap { Int64($0) }) == Set(missing) && later.count == missing.count)
    }
}

extension MockResponse {
    /// With a long pause behind so many bytes of the body.
    fileprivate func held(at count: Int) -> MockResponse {
        guard case .data(let data) = body, count < data.count else { return self }
        var held = header("Content-Length", "\(data.count)")
        held.body = .stream([.bytes(data.prefix(count)), .pause(300), .bytes(data.dropFirst(count))])
        return held
    }
}

extension DownloadBench {
    fileprivate var bytesThere: Int64 { get throws { try partLengths.values.reduce(0, +) } }

    /// By the number of the part. A file in several parts has its full length from the start, and a second one has the numbers of bytes.
    fileprivate var partLengths: [Int: Int64] {
        get throws {
            if let name = try names.first(where: { $0.hasSuffix(".download-parts") }),
                let counts = try? Data(contentsOf: folder.appendingPathComponent(name))
            {
                let numbers = counts.withUnsafeBytes { bytes in
                    stride(from: 0, to: bytes.count - 7, by: 8).map {
                        Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self))
                    }
                }
                return Dictionary(uniqueKeysWithValues: numbers.enumerated().map { ($0.offset, $0.element) })
            }
            let sizes = try names.map { Directory.status(of: folder.appendingPathComponent($0).path)?.size ?? 0 }
            return [0: sizes.reduce(0, +)]
        }
    }
}
