import Foundation
import NetTesting

extension MockServer {
    /// Lets a blocking client talk to the server, and returns what it saw.
    func talk<Result: Sendable>(
        patience: Double = 60,
        _ body: @escaping @Sendable (RawConnection) throws -> Result
    ) async throws -> Result {
        let port = port
        return try await offPool { try body(RawConnection(port: port, patience: patience)) }
    }

    /// The whole answer to one GET, as text, with the connection closed behind it.
    func rawAnswer(to path: String = "/", headers: [String] = []) async throws -> String {
        try await talk { connection in
            try connection.request("GET \(path)", headers: headers + ["Connection: close"])
            return String(decoding: try connection.readToEnd().data, as: UTF8.self)
        }
    }
}
