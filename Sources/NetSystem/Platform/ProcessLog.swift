#if canImport(os)
    import os
#endif

/// The log of the process, for a remark of which the app must learn though it has no logger: the unified log on Apple platforms, standard
/// error elsewhere.
package enum ProcessLog {
    /// Writes one line. The text must hold no secret.
    package static func write(_ text: String) {
        #if canImport(os)
            os.Logger(subsystem: "networking.client", category: "notices").log(
                level: .default, "\(text, privacy: .public)")
        #else
            // The variant that does not throw ends the process if the disk is full or the reader is gone.
            try? FileHandle.standardError.write(contentsOf: Data("Networking: \(text)\n".utf8))
        #endif
    }
}
