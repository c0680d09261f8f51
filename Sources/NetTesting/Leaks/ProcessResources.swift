import NetCore

/// What this process holds now.
struct ProcessResources {
    /// The open descriptors, and what each stands for (`socket:[123]`, a path) where the system tells.
    let descriptors: [Int32: String]
    /// Nil where the system does not tell.
    let threads: Int?

    init() {
        #if (os(Linux) || os(Android)) && !canImport(Darwin)
            descriptors = Self.names(in: "/proc/self/fd").reduce(into: [:]) { found, name in
                // The one that lists them is gone by now; what Dispatch opens below `/proc` it closes at once.
                guard let number = Int32(name),
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"),
                    !target.hasPrefix("/proc/")
                else { return }
                found[number] = target
            }
            threads = Self.names(in: "/proc/self/task").count
        #else
            descriptors = (0..<min(getdtablesize(), 65_536)).reduce(into: [:]) { found, number in
                if fcntl(number, F_GETFD) >= 0 { found[number] = "?" }
            }
            threads = nil
        #endif
    }

    #if (os(Linux) || os(Android)) && !canImport(Darwin)
        private static func names(in directory: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        }
    #endif
}
