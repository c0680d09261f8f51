import Foundation

/// Something that reads foreign text, whose work must be linear in it.
package struct GrowthReader: Sendable, CustomStringConvertible {
    package let description: String
    /// The source files whose scanning this exercises, beneath `Sources`: `Scripts/lint` reads them off the tests.
    package let files: [String]
    private let units: [(prefix: String, unit: [UInt8])]
    private let read: @Sendable (String) -> Void

    /// - Parameters:
    ///   - units: worst inputs that only this reader knows, beside ``Growth/units``.
    package init(
        _ name: String, of files: String..., units: [(prefix: String, unit: [UInt8])] = [],
        read: @escaping @Sendable (String) -> Void
    ) {
        description = name
        self.files = files
        self.units = units
        self.read = read
    }

    /// The inputs for which the work grows faster than the text; empty if it is linear.
    ///
    /// On a thread of its own: work of seconds must not take the threads that other tests wait on.
    package func failures() async -> [String] {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: measured()) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    private func measured() -> [String] {
        (units + Growth.units).compactMap { prefix, unit in
            guard let ratio = Growth.ratio(of: unit, prefix: Array(prefix.utf8), read), ratio >= Growth.limit else {
                return nil
            }
            return
                "\(prefix.debugDescription) and many \(String(decoding: unit, as: UTF8.self).debugDescription): \(ratio)"
        }
    }
}
