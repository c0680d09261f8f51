#if os(Linux)
    import NetTesting
    import NetTransfer
    import TestLab
    import Testing

    /// Memory stays flat, in a process that does nothing else. What counts is the growth, since the tests alone take 40 MB; the
    /// benchmarks `bench-upload` and `bench-download` measure a program as users have it.
    @Suite(.timeLimit(.minutes(5))) struct TransferMemoryTests {
        /// A quarter of a gigabyte; the benchmarks transfer a whole one. What grew with the size would show here as well.
        static let size: Int64 = 256 << 20

        @Test(.ownProcess) func memoryStaysFlatForALargeDownload() async {
            await #expect(processExitsWith: .success) {
                let (bench, server) = try (DownloadBench(), MockServer())
                server.on("/warm", .bytes(count: 1000))
                server.on("/large", .bytes(count: Self.size))
                _ = try await bench.download(server.url("/warm"))
                let before = ResourceCensus()
                _ = try await bench.download(server.url("/large"))
                #expect(Directory.status(of: bench.file.path)?.size == Self.size)
                expectFlatMemory(since: before)
                await server.stop()
            }
        }

        /// A sparse file is sent as a part of a form.
        @Test(.ownProcess) func memoryStaysFlatForALargeForm() async {
            await #expect(processExitsWith: .success) {
                let directory = try TemporaryDirectory()
                let file = directory.file("huge.bin")
                try Data().write(to: file)
                try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(Self.size))
                let server = try MockServer.receiving(keepingBodiesUpTo: 0)
                let (client, small) = (NetworkClient(server), MultipartFormData())
                small.append(value: "warm", name: "up")
                _ = try await client.upload(formData: small, to: Drop()).task.value
                let (before, formData) = (ResourceCensus(), MultipartFormData())
                formData.append(value: "first", name: "field")
                try formData.append(fileURL: file, name: "file")
                let (progress, task) = client.upload(formData: formData, to: Drop())
                let last = await progress.last
                _ = try await task.value
                #expect(last?.isComplete == true && server.requests.last?.bodyLength == last?.totalBytes)
                expectFlatMemory(since: before)
                await server.stop()
            }
        }

        @Test(.ownProcess) func memoryStaysFlatForAResumableUpload() async {
            await #expect(processExitsWith: .success) {
                let bench = try UploadBench(bytes: 1)
                let server = try MockServer(keepingBodiesUpTo: 0) { request in
                    let status = request.method == .post ? 201 : 204
                    return .status(status).header("Location", "/files/1")
                        .header("Upload-Offset", "\(request.bodyLength)")
                }
                _ = try await bench.start(.tus, on: server).task.value
                let before = ResourceCensus()
                try FileHandle(forWritingTo: bench.file).truncate(atOffset: UInt64(Self.size))
                #expect(try await bench.start(.tus, on: server).task.value.byteCount == Self.size)
                #expect(server.requests.last?.bodyLength == Self.size)
                expectFlatMemory(since: before)
                await server.stop()
            }
        }
    }

    private func expectFlatMemory(since before: ResourceCensus) {
        let growth = (ResourceCensus().peakResidentKiB ?? 0) - (before.residentKiB ?? 0)
        #expect(growth < 12 << 10, "\(growth) KiB more at most, \(before) before")
    }
#endif
