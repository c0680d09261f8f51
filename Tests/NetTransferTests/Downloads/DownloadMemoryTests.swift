#if os(Linux)
    import NetTesting
    import NetTransfer
    import TestLab
    import Testing

    /// Memory stays flat: in a process that does nothing else. What counts is the growth, since the tests alone take 40 MB; the
    /// benchmark `bench-download` measures a program as users have it.
    @Suite(.timeLimit(.minutes(5))) struct DownloadMemoryTests {
        /// A quarter of a gigabyte; the benchmark fetches a whole one. What grew with the size would show here as well.
        static let size: Int64 = 256 << 20

        @Test(.ownProcess) func memoryStaysFlatForALargeFile() async {
            await #expect(processExitsWith: .success) {
                let (bench, server) = try (DownloadBench(), MockServer())
                server.on("/warm", .bytes(count: 1000))
                server.on("/large", .bytes(count: Self.size))
                _ = try await bench.download(server.url("/warm"))
                let before = ResourceCensus()
                _ = try await bench.download(server.url("/large"))
                #expect(Directory.status(of: bench.file.path)?.size == Self.size)
                let growth = (ResourceCensus().peakResidentKiB ?? 0) - (before.residentKiB ?? 0)
                #expect(growth < 12 << 10, "\(growth) KiB more at most, \(before) before")
                await server.stop()
            }
        }
    }
#endif
