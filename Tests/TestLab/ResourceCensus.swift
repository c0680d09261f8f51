internal import NetCore

/// A count of the descriptors, threads and memory of this process, for tests of leaks.
///
/// It counts for the whole process, so take it in a process of its own, in a test that has the trait ``Testing/Trait/ownProcess``:
///
/// ```swift
/// await #expect(processExitsWith: .success) {
///     try await ResourceCensus.settle()
///     … // once, so that everything that is made only once exists
///     let before = ResourceCensus()
///     …
///     let after = ResourceCensus()
///     #expect(after.descriptors.count <= before.descriptors.count, "\(after.growth(since: before))")
/// }
/// ```
package struct ResourceCensus: Sendable, CustomStringConvertible {
    /// The open descriptors, each with its file or socket if known (`socket:[123]`, a path). Those of `/proc` do not count.
    package let descriptors: [Int32: String]
    /// The number of threads. Nil where the system does not tell (Darwin).
    package let threads: Int?
    /// The memory in use now (resident set), in KiB. Nil where the system does not tell.
    package let residentKiB: Int?
    /// The highest resident set so far, in KiB. Nil where the system does not tell.
    package let peakResidentKiB: Int?

    package init() {
        #if os(Linux)
            descriptors = Self.linuxDescriptors()
            let status = Self.linuxStatus()
            threads = status["Threads"]
            residentKiB = status["VmRSS"]
            peakResidentKiB = status["VmHWM"]
        #else
            descriptors = Self.probedDescriptors()
            threads = nil
            residentKiB = nil
            peakResidentKiB = nil
        #endif
    }

    /// Waits until a process that has just started opens and closes no more descriptors by itself, which would look like a leak
    /// or hide one. Dispatch opens a timer for each of its clocks on first use and keeps it. The main thread closes its run loop,
    /// if it had one, when it hands over to Swift's executor.
    package static func settle() async throws {
        #if os(Linux)
            // An hour ahead, since Dispatch opens no timer for work that is due at once.
            let timers = [DispatchSource.makeTimerSource(), DispatchSource.makeTimerSource()]
            timers[0].schedule(deadline: .now() + 3600)
            timers[1].schedule(wallDeadline: .now() + 3600)
            for timer in timers { timer.resume() }
            let sleeper = Task.detached { try await Task.sleep(for: .seconds(3600)) }
            defer {
                for timer in timers { timer.cancel() }
                sleeper.cancel()
            }
            try await waitUntil("Dispatch has three timers") {
                ResourceCensus().descriptors.values.filter { $0.hasSuffix("[timerfd]") }.count == 3 ? () : nil
            }
        #endif
        var last = ResourceCensus().descriptors
        var sightings = 0
        try await waitUntil("no descriptor comes or goes") {
            let now = ResourceCensus().descriptors
            sightings = now == last ? sightings + 1 : 0
            last = now
            return sightings >= 20 ? () : nil
        }
    }

    package var description: String {
        func text(_ number: Int?) -> String { number.map(String.init) ?? "?" }
        return "\(descriptors.count) descriptors, \(text(threads)) threads, \(text(residentKiB)) KiB"
    }

    /// A text for a failed check: both counts, and the new descriptors.
    package func growth(since before: ResourceCensus) -> String {
        let new = newDescriptors(since: before)
        return "before: \(before); after: \(self); new: \(new.isEmpty ? "none" : new.joined(separator: ", "))"
    }

    /// The descriptors that were not open before, or stood for something else.
    func newDescriptors(since before: ResourceCensus) -> [String] {
        descriptors.filter { before.descriptors[$0.key] != $0.value }
            .sorted { $0.key < $1.key }.map { "\($0.key) → \($0.value)" }
    }

    #if os(Linux)
        private static func linuxDescriptors() -> [Int32: String] {
            guard let directory = opendir("/proc/self/fd") else { return [:] }
            defer { closedir(directory) }
            var found: [Int32: String] = [:]
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                // Skips the descriptor of this directory.
                guard let number = Int32(name), number != dirfd(directory) else { continue }
                var target = [CChar](repeating: 0, count: 512)
                let length = readlink("/proc/self/fd/\(name)", &target, target.count)
                let text = target.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }
                // Dispatch opens the state of its threads for a moment once a second.
                if text.starts(with: "/proc/".utf8) { continue }
                found[number] = text.isEmpty ? "?" : String(decoding: text, as: UTF8.self)
            }
            return found
        }

        private static func linuxStatus() -> [String: Int] {
            // `contentsOfFile` would trust the size of the file, which is 0.
            guard let file = FileHandle(forReadingAtPath: "/proc/self/status") else { return [:] }
            let lines = String(decoding: file.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n")
            var numbers: [String: Int] = [:]
            for line in lines {
                let parts = line.split { $0 == ":" || $0 == "\t" || $0 == " " }
                if parts.count > 1, let number = Int(parts[1]) { numbers[String(parts[0])] = number }
            }
            return numbers
        }
    #else
        private static func probedDescriptors() -> [Int32: String] {
            var found: [Int32: String] = [:]
            for number in 0..<min(getdtablesize(), 65536) where fcntl(number, F_GETFD) >= 0 { found[number] = "?" }
            return found
        }
    #endif
}
