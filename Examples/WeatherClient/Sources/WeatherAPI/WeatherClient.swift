import Networking

/// Asks the weather service. Make one and keep it: it holds connections, cache and circuit breaker.
package struct WeatherClient: Sendable {
    /// `any NetworkClientProtocol` and not `NetworkClient`, so that a test can do without a network.
    private let client: any NetworkClientProtocol

    package init(client: any NetworkClientProtocol) {
        self.client = client
    }

    /// A client for the real thing.
    ///
    /// - Parameters:
    ///   - baseURL: such as `https://api.weather.example/v1`.
    ///   - key: the app's key at the service.
    ///   - logger: nil for no log.
    ///   - clock: for delays, and how long things are fresh; set it in tests.
    package init(baseURL: URL, key: String, logger: NetworkLogger? = nil, clock: any NetworkClock = .system) {
        self.init(
            client: NetworkClient(
                environment: WeatherEnvironment(baseURL: baseURL, key: key),
                // Lost connections and timeouts: three more times, after 1, 2 and 4 s. A status is an answer.
                retryPolicy: .connectionFailures,
                // By what the service says of each answer in `Cache-Control`.
                cache: ResponseCache(maxEntries: 100),
                decoder: .iso8601,
                callInterceptors: logger.map { [LoggingInterceptor(logger: $0)] } ?? [],
                // Five failures in a row, and the service gets a minute's rest.
                resilience: Resilience(circuitBreaker: CircuitBreaker(failureThreshold: 5, resetTimeout: 60)),
                clock: clock))
    }

    /// The weather in a city now.
    package func conditions(in city: String) async throws(WeatherError) -> Conditions {
        try await send(GetConditions(city: city), city: city)
    }

    /// The weather in a city in the next days, beginning with today.
    package func forecast(for city: String, days: Int = 3) async throws(WeatherError) -> [Forecast.Day] {
        try await send(GetForecast(city: city, days: days), city: city).days
    }

    private func send<E: Endpoint>(_ endpoint: E, city: String) async throws(WeatherError) -> E.Response {
        do {
            return try await client.request(endpoint)
        } catch {
            throw WeatherError(error, city: city)
        }
    }
}

/// Where the service is, and what goes with each request. Credentials in `defaultHeaders` go to the origin of the base URL only.
private struct WeatherEnvironment: NetworkEnvironment {
    let baseURL: URL
    let key: String

    var defaultHeaders: [String: String] { ["Authorization": "Bearer \(key)", "Accept": "application/json"] }
    var timeout: TimeInterval { 10 }
}
