#if os(Linux)
    import NetTesting
    import NetTransfer
    import TestLab
    import Testing

    /// Memory stays flat: a sparse file is sent as a part of a form, in a process that does nothing else. What counts is the growth,
    /// since the tests alone take 40 MB; the benchmark `bench-upload` measures a program as users have it.
    @Suite(.timeLimit(.minutes(5))) struct UploadMemoryTests {
        /// A quarter of a gigabyte; the benchmark sends a whole one. What grew with the size would show here as well.
        static let size: UInt64 = 256 << 20

        @Test(.ownProcess) func memoryStaysFlatForALargeForm() async {
            await #expect(processExitsWith: .success) {
                let directory = try TemporaryDirectory()
                let file = directory.file("huge.bin")
                try Data().write(to: file)
                try FileHandle(forWritingTo: file).truncate(atOffset: Self.size)
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
                let growth = (ResourceCensus().peakResidentKiB ?? 0) - (before.residentKiB ?? 0)
                #expect(growth < 12 << 10, "\(growth) KiB more at most, \(before) before")
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
                try FileHandle(forWritingTo: bench.file).truncate(atOffset: Self.size)
                #expect(try await bench.start(.tus, on: server).task.value.byteCount == Int64(Self.size))
                #expect(server.requests.last?.bodyLength == Int64(Self.size))
                let growth = (ResourceCensus().peakResidentKiB ?? 0) - (before.residentKiB ?? 0)
                #expect(growth < 12 << 10, "\(growth) KiB more at most, \(before) before")
                await server.stop()
            }
        }
    }
#endif
