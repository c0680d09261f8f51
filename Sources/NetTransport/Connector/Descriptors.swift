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

    extension TransportError {
        static func shutDown(_ url: URL?) -> TransportError {
            TransportError(.shutDown, phase: .preparing, message: "The transport was shut down.", url: url)
        }

        /// The error in a child process that has none of the transports' threads.
        static func forked(_ url: URL?) -> TransportError {
            TransportError(
                .other, phase: .preparing,
                message:
                    "This process was forked from one that had sent requests, and has none of its threads. Start a program with exec, "
                    + "or fork before the first request.", url: url)
        }
    }
#endif
