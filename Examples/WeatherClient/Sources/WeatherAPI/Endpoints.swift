import Networking

/// `GET /cities/{city}/conditions`
package struct GetConditions: Endpoint {
    package let city: String
    /// Components in place of a path, since anything may stand in the name of a city: `Al-Khafji / الخفجي`.
    package var pathComponents: [String]? { ["cities", city, "conditions"] }
    package var path: String { "" }
    package typealias Response = Conditions

    package init(city: String) { self.city = city }
}

/// `GET /cities/{city}/forecast?days=3`
package struct GetForecast: Endpoint {
    package let city: String
    package let days: Int
    package var pathComponents: [String]? { ["cities", city, "forecast"] }
    package var path: String { "" }
    package var queryParameters: [String: String] { ["days": String(days)] }
    package typealias Response = Forecast

    package init(city: String, days: Int) {
        self.city = city
        self.days = days
    }
}
