import NetCore
import TestLab
import Testing

@Suite struct TraceContextTests {
    private let sample = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func exampleOfTheRecommendation() throws {
        let trace = try #require(TraceContext(traceparent: sample))
        #expect(trace.traceID.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(trace.spanID.description == "00f067aa0ba902b7" && trace.isSampled && trace.traceState == nil)
        #expect(trace.traceparent == sample && "\(trace)" == sample)
        #expect(TraceContext(traceparent: " \(sample)\t") == trace)
    }

    /// The lowest bit means sampled. Of the others only the second is sent (level 2); the rest must be zero.
    @Test(arguments: [
        ("00", false, "00"), ("01", true, "01"), ("02", false, "02"), ("03", true, "03"), ("fc", false, "00"),
        ("fe", false, "02"), ("ff", true, "03"),
    ]) func flags(_ flags: String, isSampled: Bool, sent: String) throws {
        let trace = try #require(TraceContext(traceparent: sample.dropLast(2) + flags))
        #expect(trace.isSampled == isSampled)
        #expect(trace.traceparent.suffix(2) == sent && trace.child().traceparent.suffix(2) == sent)
    }

    /// `T` and `S` stand for the IDs of the sample.
    @Test(arguments: [
        "", "00", "00-T-S", "garbage",
        // Zeros, upper case, the version that is not permitted, wrong lengths and dashes.
        "00-00000000000000000000000000000000-S-01", "00-T-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-S-01", "ff-T-S-01", "00-T-S-1", "0-T-S-01-", "00_T-S-01", "00-T-S-0x",
        "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01", "0g-T-S-01",
        // Version 00 ends after the flags; a later one continues after a dash.
        "00-T-S-01-x", "00-T-S-01-", "01-T-S-01x", "00-T-S-01,", "é0-T-S-01",
    ]) func malformedTraceparent(_ text: String) { #expect(TraceContext(traceparent: withIDs(text)) == nil) }

    private func withIDs(_ text: String) -> String {
        text.replacingOccurrences(of: "T", with: "4bf92f3577b34da6a3ce929d0e0e4736")
            .replacingOccurrences(of: "S", with: "00f067aa0ba902b7")
    }

    @Test(arguments: ["01-T-S-01", "cc-T-S-01-what-the-future"])
    func laterVersionsAreReadAsVersion00(_ text: String) {
        #expect(TraceContext(traceparent: withIDs(text))?.traceparent == sample)
    }

    @Test(arguments: [
        ("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
        (" a=1 ,, b=2 ,", "a=1,b=2"), ("fw529a3039@dt=FfFf", "fw529a3039@dt=FfFf"), ("0a-_*/=x y!~", "0a-_*/=x y!~"),
        ("", nil), (",", nil), ("a", nil), ("=1", nil), ("a=", nil), ("A=1", nil), ("-a=1", nil), ("a b=1", nil),
        ("a=1,a=2", nil), ("a=1=2", nil), ("a=é", nil), ("é=1", nil), ("a=1,b", nil), ("a=\u{1}", nil),
        ("a=1\u{7F}", nil),
    ]) func tracestateIsValidated(_ text: String, handedOn: String?) {
        #expect(TraceContext(traceparent: sample, tracestate: text)?.traceState == handedOn)
        let trace = TraceContext(traceID: .random(), spanID: .random(), isSampled: true, traceState: text)
        #expect(trace.traceState == handedOn)
    }

    @Test func tracestateHasLimits() {
        func state(_ text: String) -> String? { TraceContext(traceparent: sample, tracestate: text)?.traceState }
        func list(_ count: Int) -> String { (0..<count).map { "k\($0)=v" }.joined(separator: ",") }
        #expect(state(list(32)) != nil && state(list(33)) == nil)
        let long = String(repeating: "x", count: 256)
        #expect(state("\(long)=\(long)") != nil && state("\(long)x=1") == nil && state("a=\(long)x") == nil)
    }

    @Test func traceOfHeaders() {
        #expect(TraceContext(headers: ["Traceparent": sample, "TRACESTATE": "a=1"])?.traceState == "a=1")
        #expect(TraceContext(headers: [:]) == nil && TraceContext(headers: ["tracestate": "a=1"]) == nil)
        var headers = HTTPHeaders(received: [
            HTTPHeader(name: "traceparent", value: sample), HTTPHeader(name: "tracestate", value: "a=1"),
            HTTPHeader(name: "tracestate", value: "b=2"),
        ])
        #expect(TraceContext(headers: headers)?.traceState == "a=1,b=2")
        headers.append(name: "traceparent", value: sample)
        #expect(TraceContext(headers: headers) == nil, "two parents are ambiguous")
    }

    @Test func childHasTheSameTraceID() {
        let root = TraceContext(traceID: .random(), spanID: .random(), isSampled: false, traceState: "a=1")
        let child = root.child()
        #expect(child.traceID == root.traceID && child.spanID != root.spanID)
        #expect(!child.isSampled && child.traceState == "a=1")
    }

    @Test func newTracesAreWellFormedAndUnique() {
        let roots = (0..<1000).map { TraceContext(isSampled: $0.isMultiple(of: 2)) }
        #expect(Set(roots.map(\.traceID)).count == 1000 && Set(roots.map(\.spanID)).count == 1000)
        for root in roots { #expect(TraceContext(traceparent: root.traceparent) == root) }
    }

    @Test func eachCallHasOneUniqueTraceID() {
        let calls = (0..<1000).map { _ in RequestContext.ID() }
        let traces = calls.map(TraceContext.TraceID.init(call:))
        #expect(Set(traces).count == 1000 && calls.map(TraceContext.TraceID.init(call:)) == traces)
        // Neither half is a visible counter.
        #expect(Set(traces.map { $0.description.prefix(16) }).count == 1000)
        #expect(Set(traces.map { $0.description.suffix(16) }).count == 1000)
    }

    @Test func taskLocalTraceIsInTheContext() async {
        let trace = TraceContext()
        #expect(TraceContext.current == nil)
        await TraceContext.$current.withValue(trace) {
            var context = RequestContext()
            #expect(context.traceContext == trace)
            await Task { #expect(TraceContext.current == trace) }.value
            let own = TraceContext()
            context.traceContext = own
            #expect(context.traceContext == own)
        }
        #expect(RequestContext().traceContext == nil)
    }

    @Test func randomTraceparentAndTracestate() {
        var random = SeededGenerator(state: 3)
        var read = 0
        for _ in 0..<5000 {
            let text = String(decoding: random.mutate(Data(sample.utf8)), as: UTF8.self)
            guard let trace = TraceContext(traceparent: text) else { continue }
            read += 1
            #expect(TraceContext(traceparent: trace.traceparent)?.traceID == trace.traceID)
        }
        #expect((10..<4000).contains(read))
        for _ in 0..<5000 {
            let text = random.text(of: Array("ab=, @-é"), upTo: 12)
            if let state = TraceContext(traceparent: sample, tracestate: text)?.traceState {
                #expect(TraceContext(traceparent: sample, tracestate: state)?.traceState == state)
            }
        }
    }
}
