import Foundation
import HTTPTypes
@_spi(Generated) import OpenAPIRuntime

/// What Swift OpenAPI Generator makes of a small document: the same runtime, called in the same way.
struct Client: Sendable {
    struct Pet: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }

    private let client: UniversalClient

    init(serverURL: URL, transport: any ClientTransport) {
        client = UniversalClient(serverURL: serverURL, transport: transport)
    }

    func getPet(id: String, tag: String? = nil) async throws -> Pet {
        try await client.send(
            input: id, forOperation: "getPet",
            serializer: { [client] id in
                let path = try client.converter.renderedPath(template: "/pets/{}", parameters: [id])
                var request = HTTPRequest(soar_path: path, method: .get)
                try client.converter.setQueryItemAsURI(
                    in: &request, style: .form, explode: true, name: "tag", value: tag)
                request.headerFields[.accept] = "application/json"
                return (request, nil)
            },
            deserializer: { [client] response, body in
                guard response.status == .ok else { throw Undocumented(status: response.status.code) }
                return try await client.converter.getResponseBodyAsJSON(Pet.self, from: body, transforming: { $0 })
            })
    }

    func putPet(_ pet: Pet) async throws -> Int {
        try await client.send(
            input: pet, forOperation: "putPet",
            serializer: { [client] pet in
                var request = HTTPRequest(soar_path: "/pets", method: .put)
                let body = try client.converter.setRequiredRequestBodyAsJSON(
                    pet, headerFields: &request.headerFields, contentType: "application/json; charset=utf-8")
                return (request, body)
            },
            deserializer: { response, _ in response.status.code })
    }

    struct Undocumented: Error {
        var status: Int
    }
}
