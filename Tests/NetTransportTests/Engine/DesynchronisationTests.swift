#if os(Linux)
    import NetTesting
    import NetTransport
    import TestLab
    import Testing

    /// Random exchanges over kept connections with a server that misbehaves. No response may ever belong to another request.
    ///
    /// `DESYNC_SEED` gives other exchanges, `DESYNC_COUNT` another number.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct DesynchronisationTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let seed = environment["DESYNC_SEED"].flatMap { UInt64($0) } ?? 20_261_125
        private static let count =
            environment["DESYNC_COUNT"].flatMap { Int($0) } ?? Volume.pick(quick: 1_500, full: 10_000)
        private func transport(_ certificate: MockCertificate?, connections: Int) -> CurlTransport {
            CurlTransport {
                $0.limits.connectionsPerHost = connections
                $0.timeouts.idle = 30
                if let certificate { $0.certificateAuthorities = .only(pem: certificate.authority) }
            }
        }

        @Test(arguments: [false, true]) func noResponseBelongsToAnotherRequest(isTLS: Bool) async throws {
            // Of the exchanges, a quarter goes over TLS.
            let count = isTLS ? Self.count / 4 : Self.count - Self.count / 4
            let certificate = isTLS ? try await MockCertificate.shared : nil
            let server = try HostileServer(seed: Self.seed, certificate: certificate)
            let client = HostileClient(
                seed: Self.seed, server: server, transport: transport(certificate, connections: isTLS ? 3 : 4))
            print("DESYNC_SEED=\(Self.seed): \(count) exchanges\(isTLS ? " over TLS" : "")")
            let numbers = Locked((0..<count).makeIterator())
            let problems = try await atOnce(24) { _ in
                var problems: [String] = []
                while let number = numbers.withLock({ $0.next() }) {
                    if let problem = await client.play(number) { problems.append(problem) }
                }
                return problems
            }.flatMap { $0 }
            await client.transport.shutdown()
            try await waitUntil("the server sees the end of all connections") { server.openConnections == 0 ? () : nil }
            server.stop()
            for problem in (problems + server.violations).prefix(40) { Issue.record("\(problem)") }
            #expect(problems.isEmpty)
            // Otherwise hardly any connection was kept.
            #expect(server.connectionCount < count * 3 / 4)
        }

        @Test(arguments: [false, true]) func lateBytesOnAnIdleConnectionAreNotAResponse(isTLS: Bool) async throws {
            let certificate = isTLS ? try await MockCertificate.shared : nil
            let (server, transport) = (try LateServer(certificate), transport(certificate, connections: 1))
            var generator = SeededGenerator(state: Self.seed)
            for number in 0..<Volume.pick(quick: 100, full: 500) {
                let url = server.url.appendingPathComponent("t\(number)x")
                #expect(try await transport.fetch(url).body == Data(url.path.utf8))
                await server.sendLate([" ", "\r\n", LateServer.response][number % 3])
                let pause = generator.next(below: 3)
                if pause > 0 { try await Task.sleep(nanoseconds: UInt64(pause * pause) * 500_000) }
            }
            await transport.shutdown()
            #expect(server.requestsAfterLateBytes == 0)
            server.stop()
        }
    }

    /// Plays exchanges with a ``HostileServer``, and compares what the transport returns.
    struct HostileClient: Sendable {
        let seed: UInt64
        let server: HostileServer
        let transport: CurlTransport

        /// What is wrong with a response.
        private struct Problem: Error { let text: String }

        private enum Outcome {
            case response
            case failure(any Error)
            /// The client did not read all of it.
            case unread
        }

        /// Returns the problem, or nil.
        func play(_ number: Int) async -> String? {
            let exchange = HostileCase(seed: seed, number: number)
            let answer = HostileAnswer(exchange)
            do { return check(try await outcome(of: exchange, answer), exchange, answer) } catch {
                return "\(name(of: exchange)) \((error as? Problem)?.text ?? "\(error)")"
            }
        }

        private func name(of exchange: HostileCase) -> String {
            "\(exchange.token) (\(exchange.act), \(exchange.method), \(exchange.reading))"
        }

        private func check(_ outcome: Outcome, _ exchange: HostileCase, _ answer: HostileAnswer) -> String? {
            let name = name(of: exchange)
            switch (outcome, answer.verdict) {
            case (.unread, _), (.response, .response), (.response, .either): return nil
            case (.response, .failure): return "\(name) succeeded"
            case (.failure(let error), let verdict):
                if error is CancellationError, case .cancelled = exchange.reading { return nil }
                guard let error = error as? TransportError else { return "\(name) failed with \(error)" }
                guard verdict == .response else { return nil }
                // A connection may end between two exchanges. Then the server did not see this one.
                let isLost = error.code == .connectionLost || error.code == .connectionReset
                let isAnswered = server.hasAnswered(exchange)
                return isLost && error.isStaleConnection && !isAnswered
                    ? nil : "\(name) failed, \(isAnswered ? "though" : "and not") answered: \(error)"
            }
        }

        private func outcome(of exchange: HostileCase, _ answer: HostileAnswer) async throws -> Outcome {
            guard case .cancelled(let time) = exchange.reading else { return try await attempt(exchange, answer) }
            let task = Task { try await attempt(exchange, answer) }
            try await Task.sleep(nanoseconds: time * 1000)
            task.cancel()
            return try await task.value
        }

        /// Throws problems only.
        private func attempt(_ exchange: HostileCase, _ answer: HostileAnswer) async throws -> Outcome {
            let request = URLRequest(
                server.url.appendingPathComponent(exchange.token), exchange.method,
                headers: exchange.expectsContinue ? ["Expect": "100-continue"] : [:])
            var context = RequestContext { $0.delivery = .streamed }
            if case .collected = exchange.reading { context.delivery = .collected(limit: 1 << 20) }
            do {
                let response = try await transport.send(request, body: body(of: exchange), context: context)
                guard response.status == answer.status, response.headers["X-Token"] == exchange.token else {
                    throw Problem(text: "got \(response.status) of \(response.headers["X-Token"] ?? "nothing")")
                }
                var received = 0
                for try await block in response.body {
                    guard block.elementsEqual(answer.body[received...].prefix(block.count)) else {
                        throw Problem(text: "got another response's body from byte \(received): \(block.prefix(80))")
                    }
                    received += block.count
                    if case .abandoned = exchange.reading { return .unread }
                }
                guard received == answer.body.count || answer.verdict == .failure else {
                    throw Problem(text: "got \(received) of \(answer.body.count) bytes, as if they were all")
                }
                return .response
            } catch let problem as Problem { throw problem } catch { return .failure(error) }
        }

        private func body(of exchange: HostileCase) -> HTTPBody? {
            let bytes = Data(HostileCase.body(exchange.token, exchange.upload.count))
            switch exchange.upload {
            case .none: return nil
            case .data: return HTTPBody(bytes)
            case .stream(let count, let isDeclared):
                let rest = Locked((bytes: bytes, generator: exchange.generator))
                return HTTPBody(length: isDeclared ? Int64(count) : nil) {
                    let (chunk, pause) = rest.withLock { rest in
                        let chunk = rest.bytes.prefix(1 + rest.generator.next(below: 30_000))
                        rest.bytes = rest.bytes.dropFirst(chunk.count)
                        return (Data(chunk), rest.generator.next(below: 4) == 0)
                    }
                    if pause { try await Task.sleep(nanoseconds: 100_000) }
                    return chunk.isEmpty ? nil : chunk
                }
            }
        }
    }
#endif
