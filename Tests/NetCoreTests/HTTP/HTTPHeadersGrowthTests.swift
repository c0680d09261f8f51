import NetCore
import TestLab
import Testing

/// A server may send tens of thousands of fields.
@Suite(.serialized, .optimized) struct HTTPHeadersGrowthTests {
    struct Work: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable ([HTTPHeader]) -> Void
        init(_ name: String, _ run: @escaping @Sendable ([HTTPHeader]) -> Void) {
            testDescription = name
            self.run = run
        }
    }

    static let works = [
        Work("init") { _ = HTTPHeaders($0) },
        Work("init from a dictionary") { _ = HTTPHeaders(Dictionary($0.map { ($0.name, $0.value) }) { $1 }) },
        Work("add") { fields in
            var headers = HTTPHeaders()
            for field in fields { headers.add(field) }
        },
        Work("append and look up") { fields in
            var headers = HTTPHeaders()
            for field in fields where headers[field.name] == nil { headers.append(field) }
        },
        Work("add(contentsOf:)") { fields in
            var headers = HTTPHeaders(received: fields)
            headers.add(contentsOf: HTTPHeaders(received: fields))
        },
        Work("dictionary") { _ = HTTPHeaders(received: $0).dictionary },
        Work("==") { _ = HTTPHeaders(received: $0) == HTTPHeaders(received: $0.reversed()) },
        Work("remove(names:)") { fields in
            var headers = HTTPHeaders(received: fields)
            headers.remove(names: Set(fields.map(\.name)))
        },
    ]

    @Test("Work is linear in the number of fields", arguments: works)
    func isLinear(_ work: Work) {
        for (kind, copies) in [("different names", 1), ("each name twice", 2)] {
            func fields(_ count: Int) -> [HTTPHeader] {
                (0..<count).map { HTTPHeader(name: "x-\($0 / copies)", value: "\($0)") }
            }
            let ratio = Growth.ratio(small: fields(4_096), large: fields(16_384)) { work.run($0) }
            #expect(ratio < Growth.limit, "\(kind)")
        }
    }

    /// The index is used from 33 fields on. The results are the same.
    @Test(arguments: [1, 2, 31, 32, 33, 34, 40, 200]) func lookUpWithAndWithoutIndex(_ count: Int) {
        func value(_ index: Int) -> HTTPHeader { HTTPHeader(name: "N\(index % 29)", value: "\(index)") }
        let received = HTTPHeaders(received: (0..<count).map(value))
        for name in 0..<30 {
            let expected = (0..<count).filter { $0 % 29 == name }.map(String.init)
            #expect(received.values(for: "n\(name)") == expected)
            #expect(received["n\(name)"] == (expected.isEmpty ? nil : expected.joined(separator: ", ")))
            #expect(received.contains(name: "n\(name)") == !expected.isEmpty)
        }
        var added = received
        added.add(name: "n0", value: "new")
        added.append(name: "n0", value: "newer")
        #expect(added.values(for: "N0") == ["new", "newer"])
        #expect(added.first { $0.name.lowercased() == "n0" }?.value == "new", "in its old place")
        added.remove(name: "N0")
        #expect(!added.contains(name: "n0") && added.count == received.count - received.values(for: "n0").count)
        var merged = HTTPHeaders(received.prefix(29).map { $0 } + [HTTPHeader(name: "other", value: "o")])
        merged.add(contentsOf: received)
        #expect(merged.values(for: "n1") == received.values(for: "n1") && merged["other"] == "o")
        #expect(merged.dictionary["N1"] == received["n1"] && HTTPHeaders(received.map { $0 }).count == min(count, 29))
    }
}
