import Foundation
import HTTPTypes
import NetClient
import NetCore
import NetTesting
import NetworkingOpenAPI
import OpenAPIRuntime
import Testing

/// Calls of a generated client.
@Suite struct OperationTests {
    @Test func getsAndDecodes() async throws {
        let server = try MockServer()
        server.enqueue(.json(text: #"{"id": 7, "name": "Rex"}"#))
        let client = Client(serverURL: server.url("/v1"), transport: NetworkClientTransport())
        let pet = try await client.getPet(id: "a/b c?", tag: "x y&z")
        #expect(pet == Client.Pet(id: 7, name: "Rex"))
        let request = try await server.takeRequest()
        #expect(request.method == .get)
        #expect(request.target == "/v1/pets/a%2Fb%20c%3F?tag=x%20y%26z")
        #expect(request.headers["Accept"] == "application/json")
        await server.stop()
    }

    @Test func sendsJSONAndRetries() async throws {
        let server = try MockServer()
        server.enqueue(.status(503), .status(503), .status(204))
        let transport = NetworkClientTransport(
            client: NetworkClient(retryPolicy: RetryPolicy(maxRetries: 3, delay: .immediate)))
        let client = Client(serverURL: server.url, transport: transport)
        #expect(try await client.putPet(Client.Pet(id: 1, name: "é")) == 204)
        #expect(server.requests.count == 3)
        for request in server.requests {
            #expect(try request.json(as: Client.Pet.self) == Client.Pet(id: 1, name: "é"))
            #expect(request.headers["Content-Length"] == String(request.body.count))
            #expect(request.headers["Content-Type"] == "application/json; charset=utf-8")
        }
        await server.stop()
    }

    @Test func statusIsNotAnError() async throws {
        let server = try MockServer()
        server.enqueue(.status(404))
        let client = Client(serverURL: server.url, transport: NetworkClientTransport())
        let error = await #expect(throws: ClientError.self) { try await client.getPet(id: "1") }
        #expect((error?.underlyingError as? Client.Undocumented)?.status == 404)
        await server.stop()
    }

    @Test func wrapsFailures() async throws {
        let server = try MockServer()
        let url = server.url
        await server.stop()
        let client = Client(serverURL: url, transport: NetworkClientTransport())
        let error = await #expect(throws: ClientError.self) { try await client.getPet(id: "1") }
        let failure = try #require(error?.underlyingError as? NetworkFailure)
        #expect(failure.kind == .networkUnavailable)
        #expect(failure.transportError?.code == .connectionRefused)
    }

    @Test func refusesAServerWithoutAHost() async throws {
        let client = Client(serverURL: .defaultOpenAPIServerURL, transport: NetworkClientTransport())
        let error = await #expect(throws: ClientError.self) { try await client.getPet(id: "1") }
        #expect((error?.underlyingError as? NetworkFailure)?.cause == .invalidURL)
    }

    @Test func tellsInterceptorsTheOperation() async throws {
        struct Label: HTTPInterceptor {
            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                var request = request
                request.setValue(next.context.openAPIOperationID, forHTTPHeaderField: "X-Operation")
                request.setValue("\(next.context.priority)", forHTTPHeaderField: "X-Priority")
                return try await next(request)
            }
        }
        let server = try MockServer()
        server.enqueue(.status(204), .json(text: #"{"id": 7, "name": "Rex"}"#))
        let transport = NetworkClientTransport(client: NetworkClient(interceptors: [Label()])) { context, operation in
            if operation == "putPet" { context.priority = .low }
        }
        let client = Client(serverURL: server.url, transport: transport)
        _ = try await client.putPet(Client.Pet(id: 1, name: ""))
        _ = try await client.getPet(id: "1")
        #expect(server.requests.map { $0.headers["X-Operation"] } == ["putPet", "getPet"])
        #expect(server.requests.map { $0.headers["X-Priority"] } == ["low", "normal"])
        await server.stop()
    }
}
