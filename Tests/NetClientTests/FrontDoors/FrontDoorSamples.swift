import NetClient
import NetTesting
import Testing

struct Person: Codable, Hashable, Sendable { let id, name: String }

struct Lab: NetworkEnvironment {
    let baseURL: URL
    var defaultHeaders: [String: String] { ["Accept": "application/json"] }
    var timeout: TimeInterval { 30 }
}

struct GetPerson: Endpoint {
    let id: String
    var path: String { "/people/\(id)" }
    var method: HTTPMethod { .get }
    typealias Response = Person
}

struct DeletePerson: Endpoint {
    let id: String
    var path: String { "/people/\(id)" }
    var method: HTTPMethod { .delete }
    typealias Response = EmptyResponse
}

struct LabAPI: APIClient {
    let baseURL: URL
    let client: NetworkClient
}

let leia = Person(id: "1", name: "Leia")

/// A response with Leia.
let found = answer(200, #"{"id":"1","name":"Leia"}"#)

/// Answers everything with Leia.
func people() -> StubTransport { StubTransport { _, _, _ in found } }

func lab() throws -> Lab { Lab(baseURL: try url("https://a.example/v1")) }
