#if os(Linux)
    import NetTesting
    import NetWebSocket
    import TestLab
    import Testing

    /// No object is leaked, whenever a WebSocket is cancelled, closed or released.
    @Suite(.timeLimit(.minutes(5)), .requires(.pythonPackages)) struct WebSocketCensusTests {
        @Test(.ownProcess) func cancelledAndClosedWebSocketsLeaveNoDescriptorsOpen() async {
            await #expect(processExitsWith: .success) {
                let server = try await PythonWebSocketServer()
                let url = try server.url("echo")
                let client = NetworkClient()
                // Once, so that what is made once and kept is there: the engine's thread, and the descriptors of its loop.
                try await client.webSocket(to: url).close()
                try await ResourceCensus.settle()
                let before = ResourceCensus().descriptors.count
                @Sendable func waitUntilClosed() async throws {
                    try await waitUntil("all are closed") { ResourceCensus().descriptors.count <= before ? () : nil }
                }
                await withTaskGroup(of: Void.self) { group in
                    for index in 0..<200 {
                        let task = Task {
                            let socket = try await client.webSocket(to: url)
                            try await socket.send(.binary(Data(count: 100_000)))
                            _ = try await socket.receive()
                            if index.isMultiple(of: 3) { await socket.close() }
                            if index.isMultiple(of: 2) { _ = try await socket.receive() }
                        }
                        group.addTask {
                            try? await Task.sleep(nanoseconds: UInt64.random(in: 0..<60_000_000))
                            task.cancel()
                            _ = try? await task.value
                        }
                    }
                }
                try await waitUntilClosed()
                let socket = try await client.webSocket(to: url)
                try await socket.expectEcho(.text("alive"))
                await client.shutdown()
                // The connector's thread rests after a second.
                try await waitUntilClosed()
                server.stop()
            }
        }
    }
#endif
