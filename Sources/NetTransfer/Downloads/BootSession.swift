import NetCore

/// Names the time from one start of the machine to the next; nil if the system does not tell.
enum BootSession {
    #if canImport(Darwin)
        static let current: String? = {
            var size = 64
            var name = [CChar](repeating: 0, count: size)
            guard sysctlbyname("kern.bootsessionuuid", &name, &size, nil, 0) == 0 else { return nil }
            return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }()
    #else
        static let current: String? = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
            .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    #endif
}
