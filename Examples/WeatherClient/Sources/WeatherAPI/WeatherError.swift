import Networking

/// What can go wrong, in the words of this app. What is beneath is kept for the log.
package enum WeatherError: Error, Sendable {
    case unknownCity(String)
    /// The key is missing, wrong or has expired.
    case badKey
    case offline
    /// The service has failed several times in a row, and is left alone until then.
    case resting(until: Date)
    /// All else: it may be better in a while.
    case unavailable(NetworkFailure)

    init(_ failure: NetworkFailure, city: String) {
        switch failure.kind {
        case .notFound: self = .unknownCity(city)
        case .unauthorized, .forbidden: self = .badKey
        case .noConnection: self = .offline
        default:
            if case .circuitOpen(_, let until) = failure.cause {
                self = .resting(until: until)
            } else {
                self = .unavailable(failure)
            }
        }
    }
}

extension WeatherError: LocalizedError {
    package var errorDescription: String? {
        switch self {
        case .unknownCity(let city): "The weather service knows no city that is called “\(city)”."
        case .badKey: "The weather service does not accept the key."
        case .offline: "This device is offline."
        case .resting: "The weather service is not well. It is asked again in a minute."
        // A sentence for a user, in the user's language.
        case .unavailable(let failure): failure.localizedDescription
        }
    }
}
