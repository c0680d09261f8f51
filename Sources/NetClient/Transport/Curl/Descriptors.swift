#if os(Linux)
    import NetCore

    /// The descriptors of this process.
    enum Descriptors {
        /// Whether nothing more can be opened just now (`EMFILE`, `ENFILE`).
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
                message: "There is no descriptor left for \(what). Raise `ulimit -n`, or send less at once.", url: url)
        }
    }
#endif
