#if os(Linux)
    import NetClient
    import NetCore
    import NetTesting
    import TestLab
    import Testing

    extension HTTPTransport {
        /// Sends, and reads the whole response.
        func fetch(
            _ url: URL, _ method: String = "GET", headers: [String: String] = [:], body: HTTPBody? = nil,
            streamed: Bool = false, context: RequestContext = RequestContext()
        ) async throws -> (status: Int, headers: HTTPHeaders, body: Data) {
            var request = URLRequest(url: url)
            request.httpMethod = method
            request.allHTTPHeaderFields = headers
            var context = context
            context.delivery = streamed ? .streamed : .collected(limit: 1 << 26)
            let response = try await send(request, body: body, context: context)
            return (response.status, response.headers, try await response.body.collect(upTo: 1 << 26))
        }

        /// The error that sending and reading ends with.
        func failure(
            _ url: URL, _ method: String = "GET", body: HTTPBody? = nil, streamed: Bool = false,
            context: RequestContext = RequestContext()
        ) async throws -> any Error {
            do {
                let response = try await fetch(url, method, body: body, streamed: streamed, context: context)
                throw NoFailure(status: response.status)
            } catch let error as NoFailure {
                throw error
            } catch {
                return error
            }
        }
    }

    func isUnsupported(_ error: any Error) -> Bool {
        if case .unsupported = error as? NetworkError { true } else { false }
    }

    /// Has malloc give back what it keeps for later, where it can (`malloc_trim` of glibc, which Swift's Glibc does not show).
    func releaseFreeMemory() {
        guard let trim = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
    }

    /// The memory of this process in KiB, without what malloc keeps for later: that depends on how the threads were scheduled.
    func heldKiB() throws -> Int {
        releaseFreeMemory()
        return try #require(ResourceCensus().residentKiB)
    }

    struct NoFailure: Error {
        let status: Int
    }

    extension CurlTransport {
        /// With settings changed.
        convenience init(_ change: (inout TransportConfiguration) throws -> Void) rethrows {
            var configuration = TransportConfiguration()
            try change(&configuration)
            self.init(configuration: configuration)
        }
    }

    extension RequestContext {
        /// With a call's deadline so many seconds from now.
        static func due(in seconds: TimeInterval) -> RequestContext {
            var context = RequestContext()
            context.deadline = context.clock.uptime + seconds
            return context
        }
    }
#endif
