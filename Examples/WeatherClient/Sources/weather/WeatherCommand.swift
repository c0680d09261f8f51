import Networking
import WeatherAPI
import WeatherStation

/// `weather [--verbose] [--url URL --key KEY] CITY…`: without a URL it asks a server that it starts itself.
@main
struct WeatherCommand {
    static func main() async {
        var cities: [String] = []
        var url: URL?
        var key = "demo-key"
        var logger: NetworkLogger?
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--verbose": logger = NetworkLogger()
            case "--url": url = arguments.popFirst().flatMap(URL.init(string:))
            case "--key": key = arguments.popFirst() ?? key
            default: cities.append(argument)
            }
        }
        if cities.isEmpty { cities = ["Berlin", "Lisbon", "Atlantis"] }
        exit(await run(cities, url: url, key: key, logger: logger) ? 0 : 1)
    }

    /// - Returns: whether all went well.
    static func run(
        _ cities: [String], url: URL?, key: String, logger: NetworkLogger?, clock: any NetworkClock = .system
    ) async -> Bool {
        var station: WeatherStation?
        do {
            if url == nil {
                station = try WeatherStation(key: key)
                // So that there is something to see with --verbose: the first connection is torn down, and tried again.
                station?.tearDownNextConnection()
            }
        } catch {
            print("The stand-in for the weather service cannot be started: \(error.localizedDescription)")
            return false
        }
        guard let baseURL = url ?? station?.baseURL else { return false }
        let report = Report(client: WeatherClient(baseURL: baseURL, key: key, logger: logger, clock: clock))
        var isSuccess = true
        for city in cities {
            do {
                for line in try await report.lines(for: city) { print(line) }
            } catch {
                print(error.localizedDescription)
                isSuccess = false
            }
        }
        await logger?.flush()
        await station?.stop()
        return isSuccess
    }
}
