extension TransportConformance {
    /// Content codings and limits.
    static let codingChecks: [Check] = [
        Check(.decompression, "asks for gzip and decodes it") { bench in
            try await bench.withServer { server in
                server.enqueue(.gzippedZeros(count: 100_000).header("Content-Encoding", "gzip"))
                let (_, data) = try await bench.collect(bench.request(server.url), over: bench.transport())
                try bench.expect(data, equals: Data(count: 100_000), "body")
                let asked = server.requests.last?.headers["Accept-Encoding"] ?? ""
                try bench.expect(asked.contains("gzip"), "Accept-Encoding is '\(asked)'")
            }
        },
        Check(.decompression, "leaves a body encoded if that is wanted") { bench in
            try await bench.withServer { server in
                server.enqueue(.gzippedZeros(count: 100_000).header("Content-Encoding", "gzip"))
                let transport = try bench.transport { $0.decodesContent = false }
                let (_, data) = try await bench.collect(bench.request(server.url), over: transport)
                try bench.expect(data.prefix(2), equals: Data([0x1F, 0x8B]), "the first bytes")
            }
        },
        Check(.decompressionLimit, "gives up on a body that unfolds to more than the limit") { bench in
            try await bench.withServer { server in
                server.enqueue(.ok.fault(.decompressionBomb))
                let transport = try bench.transport { $0.limits.decodedBodyBytes = 1_000_000 }
                let error = try await bench.failure(of: bench.request(server.url), over: transport)
                try bench.expect(
                    error as? NetworkError == .responseTooLarge(limit: 1_000_000), "the error is \(error)")
            }
        },
        Check(.headerLimit, "gives up on headers that do not end") { bench in
            try await bench.withServer { server in
                server.enqueue(.ok.fault(.endlessHeaders))
                try await bench.expectFailure(
                    .headersTooLarge, of: bench.request(server.url), over: bench.transport())
            }
        },
    ]
}
