import NetTesting
import TestLab

extension MockServer {
    /// Lets a blocking client talk to the server, and returns what it saw.
    func talk<Result: Sendable>(
        patience: Double = 60, _ body: @escaping @Sendable (RawConnection) throws -> Result
    ) async throws -> Result {
        let port = port
        return try await offPool { try body(RawConnection(port: port, patience: patience)) }
    }

    /// The answer to one request, on a connection of its own.
    func answer(
        to line: String = "GET /", headers: [String] = [], body: String? = nil, toHead: Bool = false
    ) async throws -> RawConnection.Response {
        try await talk { try $0.exchange(line, headers: headers, body: body, toHead: toHead) }
    }

    /// The whole answer to one GET, as text, with the connection closed behind it.
    func rawAnswer(to path: String = "/", headers: [String] = []) async throws -> String {
        try await talk { connection in
            try connection.request("GET \(path)", headers: headers + ["Connection: close"])
            return String(decoding: try connection.readToEnd().data, as: UTF8.self)
        }
    }
}

extension MockCertificate {
    /// Made once for all tests of this process: five commands.
    static var shared: MockCertificate {
        get async throws {
            _ = try Tool.openssl.path()
            return try await making.value
        }
    }

    private static let making = Task { try await make() }
}

/// The exit code of the `curl` command, which trusts every certificate, and what it printed.
func curl(_ arguments: String..., input: Data = Data()) async throws -> (code: Int32, output: String) {
    let result = try await ProcessRunner.run("curl", ["-sSk", "--max-time", "20"] + arguments, input: input)
    guard case .exited(let code) = result.termination else { return (-1, result.text) }
    return (code, result.text)
}
