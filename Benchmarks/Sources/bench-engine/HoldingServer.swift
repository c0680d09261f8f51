import BenchKit
import Foundation
import NetTesting

/// A server in a process of its own. It answers `/hold42` when 42 of these requests have arrived.
struct HoldingServer {
    let plain: String
    let tls: String
    /// A server without idle connections, as MockServer takes longer for a request beside many of them.
    let other: String
    /// The file with the certificate authority.
    let authority: String
    private let process: Process

    static func start() throws -> HoldingServer {
        let process = Child.make(["serve"])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let words = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).split { $0.isWhitespace }
        guard words.count == 4 else { throw Failure("the server did not start") }
        return HoldingServer(
            plain: String(words[0]), tls: String(words[1]), other: String(words[2]), authority: String(words[3]),
            process: process)
    }

    func end() {
        process.terminate()
        try? FileManager.default.removeItem(atPath: authority)
    }

    /// Runs the server until the process is ended.
    static func serve() async throws {
        let certificate = try await MockCertificate.make()
        let authority = NSTemporaryDirectory() + "bench-engine-\(getpid()).pem"
        try certificate.authority.write(to: URL(fileURLWithPath: authority))
        let gates = Gates()
        let answer: @Sendable (RecordedRequest) async -> MockResponse = { request in
            if let count = Int(request.path.dropFirst("/hold".count)) { await gates.wait(for: count) }
            return .ok
        }
        let plain = try MockServer(keepingRequestsUpTo: 1, answer)
        let tls = try MockServer(certificate: certificate, keepingRequestsUpTo: 1, answer)
        let other = try MockServer(keepingRequestsUpTo: 1, answer)
        // Without a buffer.
        FileHandle.standardOutput.write(Data("\(plain.url) \(tls.url) \(other.url) \(authority)\n".utf8))
        try await Task.sleep(for: .seconds(3600))
    }
}

private actor Gates {
    private var waiters: [Int: [CheckedContinuation<Void, Never>]] = [:]

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            waiters[count, default: []].append(continuation)
            guard waiters[count]?.count == count else { return }
            for waiter in waiters.removeValue(forKey: count) ?? [] { waiter.resume() }
        }
    }
}

/// This program, run again.
enum Child {
    static func make(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        return process
    }

    /// What another program beside this one measures.
    static func score(of program: String, _ order: WorkOrder) throws -> Score {
        let process = make([String(decoding: try JSONEncoder().encode(order), as: UTF8.self)])
        process.executableURL = process.executableURL?.deletingLastPathComponent().appendingPathComponent(program)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let score = try JSONDecoder().decode(Score.self, from: output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        return score
    }

    static func run(_ arguments: [String]) throws {
        let process = make(arguments)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("\(arguments) failed") }
    }
}
