import NetTesting
import Networking
import Testing
import WeatherAPI

@testable import weather

/// What is built on the client, without any network.
struct ReportTests {
    private let day = Date(timeIntervalSince1970: 1_700_000_000)  // a Tuesday

    @Test func saysItInWords() async throws {
        let mock = MockNetworkClient()
        await mock.stub(GetConditions.self) { [day] endpoint in
            Conditions(city: endpoint.city, temperature: 5.6, summary: "hail", windSpeed: 12.4, measuredAt: day)
        }
        await mock.stub(GetForecast.self) { [day] endpoint in
            Forecast(city: endpoint.city, days: [.init(date: day, low: -1, high: 3, summary: "fog")])
        }
        let lines = try await Report(client: WeatherClient(client: mock)).lines(for: "Berlin")
        #expect(lines == ["Berlin: 6 °C, hail, wind 12 km/h", "  Tue  -1 °C to 3 °C, fog"])
        let days = await mock.calledEndpoints(of: GetForecast.self).map(\.days)
        #expect(days == [3])
    }

    @Test func failsAsTheClientDoes() async throws {
        let mock = MockNetworkClient()
        await mock.stubError(GetConditions.self, error: .noConnection())
        let error = await #expect(throws: WeatherError.self) {
            try await Report(client: WeatherClient(client: mock)).lines(for: "Berlin")
        }
        guard case .offline = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(await mock.wasCalled(GetForecast.self) == false)
    }

    @Test func theCommandRunsToItsEnd() async {
        let clock = TestClock(autoAdvance: true)
        #expect(await WeatherCommand.run(["Berlin", "Lisbon"], url: nil, key: "k", logger: nil, clock: clock))
        #expect(await !WeatherCommand.run(["Atlantis"], url: nil, key: "k", logger: nil, clock: clock))
        #expect(clock.sleeps == [1, 1])
    }
}
