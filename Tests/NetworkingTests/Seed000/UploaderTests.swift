import NetTesting
import Networking
import TestLab
import Testing

/// Seed 000, chapter File Transfer, section 2, Uploader: as it is written there, but for where it sends to.
@Suite(.timeLimit(.minutes(5))) struct UploaderTests {
    struct ProfileResponse: Codable, Sendable { let name: String }
    typealias LoginResponse = ProfileResponse
    typealias RawUploadResult = ProfileResponse
    typealias FileUploadResponse = ProfileResponse

    private let server: MockServer
    private let networking = Networking()
    private let print = Transcript()
    private let progressed = Transcript()

    init() throws {
        server = try MockServer { _ in .json(ProfileResponse(name: "John")) }
        server.on("/refused", .status(413))
    }

    /// 2.1
    @Test func multipartExample() async throws {
        let pngData = Data([0x89, 0x50, 0x4E, 0x47])

        networking.uploadMultipart(
            to: server.url("/profile"),
            headers: ["Authorization": "Bearer <token>"],
            progress: { progress in
                progressed("Upload progress: \(progress * 100)%")  // Print upload progress
            },
            multipartFormData: { builder in
                try builder.append(
                    pngData,
                    withName: "avatar",
                    fileName: "avatar.png",
                    mimeType: "image/png"
                )  // Append avatar image data
                try builder.append("john_doe", withName: "username")/// Append username field
            },
            completion: { (response: NetworkingResponse<ProfileResponse>) in
                switch response.result {
                case .success(let profile):
                    print("Upload successful:", profile.name)
                /// Handle success case
                case .failure(let error):
                    print("Upload failed:", error)
                /// Handle failure case
                }
            })
        #expect(try await print.line() == "Upload successful: John")
        // Before the completion.
        #expect(progressed.texts.last == "Upload progress: 100.0%")
        let request = try #require(server.requests.first)
        #expect((request.method, request.headers["Authorization"]) == (.post, "Bearer <token>"))
        #expect(request.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(request.body.range(of: pngData) != nil)
        #expect(request.body.range(of: Data("name=\"username\"\r\n\r\njohn_doe\r\n".utf8)) != nil)
    }

    /// 2.2
    @Test func formURLEncodedExample() async throws {
        networking.uploadFormURLEncoded(
            to: server.url("/login"),
            parameters: [
                "email": "john.doe@example.com",
                "password": "s3cr3t",
            ],
            headers: nil,
            progress: nil
        ) { (response: NetworkingResponse<LoginResponse>) in
            switch response.result {
            case .success(let login):
                print("Login successful:", login.name)
            /// Handle successful login
            case .failure(let error):
                print("Login failed:", error)
            /// Handle login error
            }
        }
        #expect(try await print.line() == "Login successful: John")
        let request = try #require(server.requests.first)
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.bodyText == "email=john.doe%40example.com&password=s3cr3t")
    }

    /// 2.3
    @Test func rawDataExample() async throws {
        let rawData = Data(repeating: 7, count: 100_000)

        networking.uploadRawData(
            to: server.url("/upload/raw"),
            data: rawData,
            headers: ["Authorization": "Bearer <token>"],
            progress: { progress in
                progressed("Raw upload progress: \(progress * 100)%")/// Print raw upload progress
            },
            completion: { (response: NetworkingResponse<RawUploadResult>) in
                switch response.result {
                case .success(let result):
                    print("Raw upload successful:", result.name)
                /// Process success
                case .failure(let error):
                    print("Raw upload failed:", error)
                /// Process error
                }
            })
        #expect(try await print.line() == "Raw upload successful: John")
        #expect((progressed.texts.last, server.requests.first?.body) == ("Raw upload progress: 100.0%", rawData))
    }

    /// 2.4
    @Test func fileExample() async throws {
        let directory = try TemporaryDirectory()
        let localFileURL = directory.file("video.mov")
        try Data("frames".utf8).write(to: localFileURL)

        networking.uploadFile(
            from: localFileURL,
            to: server.url("/upload/file"),
            headers: ["Authorization": "Bearer <token>"],
            progress: { progress in
                _ = progress
            },
            completion: { (response: NetworkingResponse<FileUploadResponse>) in
                switch response.result {
                case .success(let result):
                    print("File upload successful:", result.name)
                /// Handle file upload success
                case .failure(let error):
                    print("File upload failed:", error)
                /// Handle file upload error
                }
            })
        #expect(try await (print.line(), server.requests.first?.bodyText) == ("File upload successful: John", "frames"))
        #expect(server.requests.first?.headers["Content-Type"] == "video/quicktime")
    }

    @Test func callbacksRunOnTheQueue() async throws {
        networking.upload(
            .data(Data("x".utf8)), to: server.url("/raw"), queue: MarkedQueue.make("uploads"),
            progress: { progressed($0) }, completion: { (response: NetworkResponse<String>) in print(response.value) })
        #expect(try await (print.line(), progressed.texts.last) == (#"{"name":"John"}"#, "1.0"))
        #expect(Set(print.queues + progressed.queues) == ["uploads"])
    }

    @Test func asyncUploads() async throws {
        let profile: ProfileResponse = try await networking.upload(.data(Data([1])), to: server.url("/raw"))
        #expect(profile.name == "John")
        let fractions = Locked<[Double]>([])
        let response: NetworkResponse<ProfileResponse> = await networking.upload(
            .multipart { $0.append(value: "b", name: "a") }, to: server.url("/form"),
            progress: { fraction in fractions.withLock { $0.append(fraction) } })
        #expect(response.isSuccess && response.statusCode == 200 && fractions.withLock { $0.last } == 1)
        let login: String = try await networking.upload(
            .form(["n": 1, "flag": true]), to: server.url("/form"), method: .put)
        #expect(login.contains("John") && server.requests.last?.bodyText == "flag=true&n=1")
        #expect(server.requests.last?.method == .put)
    }

    @Test func failuresArriveInEveryStyle() async throws {
        await #expect(throws: NetworkError.requestFailed(statusCode: 413, data: Data())) {
            let _: String = try await networking.upload(.data(Data([1])), to: server.url("/refused"))
        }
        networking.uploadRawData(to: server.url("/refused"), data: Data([1])) {
            (response: NetworkResponse<String>) in print(response.statusCode, response.error?.code)
        }
        #expect(try await print.line() == "413 request_failed")
        let missing = URL(fileURLWithPath: "/no/such/file")
        await #expect(throws: NetworkError.uploadFailed(nil)) {
            let _: String = try await networking.upload(.file(missing), to: server.url("/file"))
        }
        await #expect(throws: NetworkError.uploadFailed(nil)) {
            let _: String = try await networking.upload(
                .multipart { try $0.append(fileURL: missing, name: "file") }, to: server.url("/form"))
        }
    }

    @Test func cancellingAnUpload() async throws {
        server.on("/stall", MockResponse.ok.fault(.stall(.beforeResponse)))
        let upload = networking.uploadRawData(to: server.url("/stall"), data: Data([1])) {
            (response: NetworkResponse<String>) in print(response.error)
        }
        _ = try await server.takeRequest()
        upload.cancel()
        #expect(try await print.line() == "cancelled")
        let waiting = Task { [networking, server] in
            let _: String = try await networking.upload(.data(Data([1])), to: server.url("/stall"))
        }
        _ = try await server.takeRequest()
        waiting.cancel()
        await #expect(throws: NetworkError.cancelled) { try await waiting.value }
        try await server.waitForOpenConnections()
    }

    @Test func uploadHasThePartitionOfTheFacade() async throws {
        let transport = StubTransport { _, _, _ in TransportResponse(status: 200, url: nil, body: HTTPBody("ok")) }
        let networking = Networking(transport: transport, partition: { "leia" })
        let _: String = try await networking.upload(
            .data(Data()), to: try #require(URL(string: "https://a.example/raw")))
        #expect(transport.exchanges.map { $0.context.identity?.name } == ["leia"])
    }
}
