#if canImport(Darwin)
    import NetCore

    extension UploadedBody {
        /// An upload task's body is in the request that a `URLProtocol` gets, as a stream.
        static func source(of task: URLSessionTask) -> Source { .none }
    }
#endif
