internal import Foundation
package import Testing

/// How much the tests do that repeat something: kills, combinations, damages.
///
/// `make test` does a part of it, so that it takes minutes. `make ci` does all of it, with `NETWORKING_TESTS_FULL` in the environment.
package enum Volume {
    package static let isFull = ProcessInfo.processInfo.environment["NETWORKING_TESTS_FULL"] != nil

    /// Returns the number of repetitions.
    package static func pick(quick: Int, full: Int) -> Int { isFull ? full : quick }
}

extension Trait where Self == ConditionTrait {
    /// Skips a suite in a debug build, where it would take longer than all others together: `Scripts/test --release` runs it.
    package static var optimized: Self {
        #if DEBUG
            let isOptimized = false
        #else
            let isOptimized = true
        #endif
        return .enabled(if: isOptimized, "debug build")
    }

    /// Skips a test that measures memory in a build with Address or Thread Sanitizer, which keep what is freed.
    package static var unsanitized: Self {
        let program = dlopen(nil, RTLD_NOW)
        let isSanitized = dlsym(program, "__asan_init") != nil || dlsym(program, "__tsan_init") != nil
        return .enabled(if: !isSanitized, "sanitizer")
    }
}
