import NetCore
import TestLab
import Testing

@testable import NetTransport

/// Everything in NetTransport that reads text of a server, at its worst inputs.
@Suite(.serialized, .optimized) struct TransportGrowthTests {
    static let readers: [GrowthReader] = {
        var readers = [
            GrowthReader(
                "Set-Cookie joined by Foundation", of: "NetTransport/URLSession/Exchange+Receiving.swift"
            ) {
                _ = ResponseHead.cookies(in: $0)
            },
            GrowthReader(
                "Address policy", of: "NetTransport/Settings/AddressGuard.swift"
            ) {
                var policy = TransportConfiguration.AddressPolicy()
                policy.allowedHosts = ["a.example"]
                if let url = URL(string: "http://" + $0) { try? AddressGuard(policy)?.check(url) }
                _ = AddressRange($0)
            },
        ]
        #if os(Linux)
            readers += [
                GrowthReader(
                    "Header section", of: "NetTransport/Engine/WireHead.swift",
                    "NetCore/HTTP/HeaderBlockParser.swift",
                    units: [
                        ("HTTP/1.1 200 OK\r\n", Array("a:\r\n".utf8)),
                        ("HTTP/1.1 200 OK\r\na:b\r\n", Array(" c\r\n".utf8)),
                        ("HTTP/1.1 200 OK\r\n", Array("\n".utf8)),
                    ]
                ) {
                    _ = Array($0.utf8).withUnsafeBytes(HeaderBlockParser.fields)
                },
            ]
        #endif
        return readers
    }()

    @Test("Work is linear in the text", arguments: readers)
    func isLinear(_ reader: GrowthReader) async {
        #expect(await reader.failures() == [])
    }
}
