#if os(Linux)
    import Foundation

    /// What the threads of this process and the server do, as the system knows it: to tell a stall of the engine from one of the machine.
    enum SoakProcess {
        /// A line for each thread of this process and for the server, whose process `SOAK_SERVER` names.
        static func states() -> String {
            var folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            folders = folders.map { "/proc/self/task/\($0)" }
            if let server = ProcessInfo.processInfo.environment["SOAK_SERVER"] { folders.append("/proc/\(server)") }
            return folders.compactMap { folder in
                guard let stat = text("\(folder)/stat"), let end = stat.lastIndex(of: ")") else { return nil }
                let name = stat[..<end].split(separator: "(").last ?? ""
                let fields = stat[end...].dropFirst(2).split(separator: " ")
                guard fields.count > 36 else { return nil }
                let place = text("\(folder)/wchan") ?? ""
                return
                    "    \(name): state \(fields[0]), ticks \(fields[11]) + \(fields[12]), core \(fields[36]), waits in \(place)"
            }.joined(separator: "\n")
        }

        private static func text(_ path: String) -> String? {
            guard let data = FileManager.default.contents(atPath: path) else { return nil }
            return String(decoding: data, as: UTF8.self)
        }
    }
#endif
