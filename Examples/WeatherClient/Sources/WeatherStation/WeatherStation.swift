import NetTesting
import Networking
import WeatherAPI

/// Stands in for the weather service: a real HTTP server in this process, on a loopback port that the system chooses.
///
/// It is what keeps an app going while its backend is not there yet, and what its tests talk to.
package final class WeatherStation: Sendable {
    /// The server, for tests that let something go wrong or look at what came.
    package let server: MockServer
    package let key: String

    package var baseURL: URL { server.url("/v1") }

    /// - Parameter key: what clients have to show.
    package init(key: String = "demo-key", date: Date = Date()) throws {
        self.key = key
        server = try MockServer()
        server.on(.get, "/v1/cities/*") { request in
            guard request.headers["Authorization"] == "Bearer \(key)" else {
                return Self.problem(401, "The key is not known.").header("WWW-Authenticate", "Bearer")
            }
            let parts = request.path.split(separator: "/").dropFirst(2).map { $0.removingPercentEncoding ?? "" }
            guard parts.count == 2, let (city, climate) = Self.climates.first(where: { $0.key == parts[0] }) else {
                return Self.problem(404, "There is no such city.")
            }
            switch parts[1] {
            case "conditions":
                return Self.json(climate.conditions(in: city, at: date))
            case "forecast":
                let days = request.queryValue("days").flatMap(Int.init) ?? 3
                return Self.json(climate.forecast(for: city, days: min(max(days, 1), 14), from: date))
            default:
                return Self.problem(404, "There is no such thing of a city.")
            }
        }
    }

    /// The next request gets no answer: its connection is torn down, as a mobile network does it.
    package func tearDownNextConnection() {
        server.enqueue(.fault(.reset(.beforeResponse)))
    }

    package func stop() async { await server.stop() }

    /// Fresh for ten minutes: a client with a cache need not ask again before.
    private static func json(_ value: some Encodable) -> MockResponse {
        .json(value, encoder: .iso8601).header("Cache-Control", "max-age=600")
    }

    /// RFC 9457, as good services have it.
    private static func problem(_ status: Int, _ title: String) -> MockResponse {
        MockResponse.json(["title": title], status: status).header("Content-Type", "application/problem+json")
    }

    private static let climates: [String: Climate] = [
        "Berlin": Climate(low: 3, high: 9, wind: 18, summaries: ["light rain", "cloudy", "sunny spells"]),
        "Lisbon": Climate(low: 12, high: 19, wind: 22, summaries: ["sunny", "sunny", "fog in the morning"]),
        "Reykjavík": Climate(low: -2, high: 2, wind: 41, summaries: ["snow", "storm", "snow"]),
    ]
}

private struct Climate {
    let low: Double
    let high: Double
    let wind: Double
    let summaries: [String]

    func conditions(in city: String, at date: Date) -> Conditions {
        Conditions(city: city, temperature: (low + high) / 2, summary: summaries[0], windSpeed: wind, measuredAt: date)
    }

    func forecast(for city: String, days: Int, from date: Date) -> Forecast {
        Forecast(
            city: city,
            days: (0..<days).map { day in
                Forecast.Day(
                    date: date.addingTimeInterval(Double(day) * 86_400), low: low + Double(day),
                    high: high + Double(day),
                    summary: summaries[day % summaries.count])
            })
    }
}
