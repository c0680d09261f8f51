import Foundation
import WeatherAPI

/// The weather of a city, as lines of text.
struct Report {
    let client: WeatherClient

    func lines(for city: String) async throws(WeatherError) -> [String] {
        let now = try await client.conditions(in: city)
        let days = try await client.forecast(for: city)
        return ["\(now.city): \(degrees(now.temperature)), \(now.summary), wind \(Int(now.windSpeed.rounded())) km/h"]
            + days.map { day in
                "  \(weekday(day.date))  \(degrees(day.low)) to \(degrees(day.high)), \(day.summary)"
            }
    }

    private func degrees(_ celsius: Double) -> String { "\(Int(celsius.rounded())) °C" }

    private func weekday(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_GB")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "EEE"
        return formatter.string(from: date)
    }
}
