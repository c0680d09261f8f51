import Foundation

/// The weather in a city now.
package struct Conditions: Codable, Hashable, Sendable {
    package let city: String
    /// In degrees Celsius.
    package let temperature: Double
    /// In words: `light rain`.
    package let summary: String
    /// In km/h.
    package let windSpeed: Double
    package let measuredAt: Date

    package init(city: String, temperature: Double, summary: String, windSpeed: Double, measuredAt: Date) {
        self.city = city
        self.temperature = temperature
        self.summary = summary
        self.windSpeed = windSpeed
        self.measuredAt = measuredAt
    }
}

/// The weather of the next days.
package struct Forecast: Codable, Hashable, Sendable {
    package struct Day: Codable, Hashable, Sendable {
        package let date: Date
        /// In degrees Celsius.
        package let low: Double
        package let high: Double
        package let summary: String

        package init(date: Date, low: Double, high: Double, summary: String) {
            self.date = date
            self.low = low
            self.high = high
            self.summary = summary
        }
    }

    package let city: String
    package let days: [Day]

    package init(city: String, days: [Day]) {
        self.city = city
        self.days = days
    }
}
