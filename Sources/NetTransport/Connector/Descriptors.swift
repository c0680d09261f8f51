#if os(Linux)
    import NetCore

    /// The descriptors of this process.
    enum Descriptors {
        /// Whether nothing more can be opened now (`EMFILE`, `ENFILE`).
        static var areExhausted: Bool {
            let descriptor = open("/", O_RDONLY | O_CLOEXEC)
            guard descriptor < 0 else {
                close(descriptor)
                return false
            }
            return errno == EMFILE || errno == ENFILE
        }

        static func exhausted(for what: String, url: URL?) -> TransportError {
            TransportError(
                .descriptorsExhausted, phase: .preparing,
                message: "No file descriptor is available for \(what).", url: url)
        }
    }
#endif
