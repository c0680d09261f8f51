import Logging
import NetClient
import NetCore
import NetworkingObservability

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// What observing adds to a request, without a network: `swift run -c release observability-bench [ROUNDS [VARIANT]]`.
//
// Each round sends the same requests through a client of each variant. The figure is the median of the rounds' differences to the client
// without anything, of the same round. Times are CPU times of the process, since other processes disturb the time of the wall more. With
// a variant, only that one runs, for a profiler.

struct Variant: Sendable {
    let name: String
    let client: NetworkClient
}

func makeClient(_ change: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    var configuration = NetworkClient.Configuration()
    configuration.transport = InstantTransport()
    change(&configuration)
    return NetworkClient(configuration: configuration)
}

let logger = Logger(label: "bench") { _ in DiscardingHandler() }
let metrics = Observability.MetricsDestination.factory(SummingMetrics())
let sampled = Observability.TracerSource.tracer(PlainTracer(isRecording: true))
let unsampled = Observability.TracerSource.tracer(PlainTracer(isRecording: false))

func observed(_ observability: Observability) -> NetworkClient { makeClient { $0.observe(with: observability) } }

let variants = [
    Variant(name: "nothing", client: makeClient()),
    Variant(
        name: "two empty interceptors",
        client: makeClient {
            $0.callInterceptors = [EmptyInterceptor()]
            $0.interceptors = [EmptyInterceptor()]
        }),
    Variant(name: "nothing bootstrapped", client: observed(Observability(logger: nil))),
    Variant(name: "logs", client: observed(Observability(logger: logger, metrics: .off, tracer: .off))),
    Variant(name: "metrics", client: observed(Observability(logger: nil, metrics: metrics, tracer: .off))),
    Variant(name: "logs and metrics", client: observed(Observability(logger: logger, metrics: metrics, tracer: .off))),
    Variant(
        name: "traces, not sampled", client: observed(Observability(logger: nil, metrics: .off, tracer: unsampled))),
    Variant(name: "traces, sampled", client: observed(Observability(logger: nil, metrics: .off, tracer: sampled))),
    Variant(name: "all, no tracer", client: observed(Observability(logger: logger, metrics: metrics))),
    Variant(
        name: "all, not sampled", client: observed(Observability(logger: logger, metrics: metrics, tracer: unsampled))),
    Variant(name: "all, sampled", client: observed(Observability(logger: logger, metrics: metrics, tracer: sampled))),
]

/// Returns the nanoseconds of CPU of one request.
@concurrent
func measure(_ client: NetworkClient, requests: Int) async throws -> Double {
    guard let url = URL(string: "https://api.example.com/users/1?page=2") else { return 0 }
    let request = URLRequest(url: url)
    let start = cpuNanoseconds()
    for _ in 0..<requests { _ = try await client.response(for: request) }
    return (cpuNanoseconds() - start) / Double(requests)
}

func cpuNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 301
let requests = 500
let chosen = CommandLine.arguments.dropFirst(2).first.map { name in variants.filter { $0.name == name } } ?? variants
for variant in chosen { _ = try await measure(variant.client, requests: requests) }
var times = Array(repeating: [Double](), count: chosen.count)
for _ in 0..<max(1, rounds) {
    for (index, variant) in chosen.enumerated() {
        times[index].append(try await measure(variant.client, requests: requests))
    }
}
print("| with | a request | adds |\n|---|---|---|")
for (index, variant) in chosen.enumerated() {
    let added = median(zip(times[index], times[0]).map { $0 - $1 })
    print("| \(variant.name) | \(Int(median(times[index]))) ns | \(Int(added)) ns |")
}
