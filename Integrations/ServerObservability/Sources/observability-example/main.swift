import Logging
import NetClient
import NetCore
import NetTesting
import NetworkingObservability

// A program bootstraps its backends first: LoggingSystem, MetricsSystem and InstrumentationSystem. Without that, swift-log writes to standard
// error, and metrics and traces cost nothing.
let server = try MockServer()
server.enqueue(.status(503), .json(text: #"{"id": 1, "name": "Leia"}"#), .notFound)

var logger = Logger(label: "example")
logger.logLevel = .debug

var configuration = NetworkClient.Configuration(baseURL: server.url)
configuration.retryPolicy = .default
var observability = Observability(logger: logger)
observability.urlTemplate = { request in request.url?.path.hasPrefix("/users/") == true ? "/users/{id}" : nil }
configuration.observe(with: observability)
let client = NetworkClient(configuration: configuration)

// Two attempts, one call.
let user = try await client.response(for: URLRequest(url: server.url("/users/1")))
print(user.status)
// A warning, with a redacted URL.
let missing = try await client.response(for: URLRequest(url: server.url("/orders?token=secret")))
print(missing.status)
await server.stop()
