import NetClient
import NetworkingMacros

struct Conditions: Codable, Sendable {
    let city: String
    let temperature: Double
}

@API("/v1")
protocol Weather {
    @GET("/cities/{city}/conditions") @Retry(2)
    func conditions(city: String) async throws -> Conditions

    @GET("/cities/{city}/forecast") @Query("lang", for: "language")
    func forecast(city: String, days: Query<Int>, language: String?) async throws -> [Conditions]

    @POST("/reports")
    func report(_ conditions: Body<Conditions>, idempotencyKey: Header<String>) async throws

    @GET("/alerts") func alerts(region: Query<String>) -> ServerSentEventSequence
}

struct WeatherService: NetworkEnvironment {
    let baseURL: URL
}

func temperature(in city: String, at url: URL) async throws -> Double {
    let client = NetworkClient(environment: WeatherService(baseURL: url))
    return try await WeatherClient(client).conditions(city: city).temperature
}
