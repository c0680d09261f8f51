internal import NetCore

/// Whether tests can start other programs, such as nginx, openssl and curl. On iOS, tvOS, watchOS and visionOS an app cannot, and a test
/// that needs one fails with `ENOTSUP`.
package let canStartProcesses: Bool = {
    #if os(macOS) || os(Linux)
        true
    #else
        false
    #endif
}()

/// `posix_spawn`, as our children need it.
enum Spawn {
    #if os(macOS) || os(Linux)
        static func spawn(
            _ executable: String, _ arguments: [String], environment: [String: String], input: Int32, output: Int32,
            error: Int32
        ) throws -> pid_t {
            #if os(macOS)
                var actions: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
            #else
                var actions = posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }

            for (source, target) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (error, STDERR_FILENO)] {
                posix_spawn_file_actions_adddup2(&actions, source, target)
            }
            // An inherited socket would stay open while the child runs, and its peer would not see its end.
            var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
            #if os(macOS)
                flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
            #else
                _ = closeFrom?(&actions, 3)
            #endif
            posix_spawnattr_setflags(&attributes, Int16(flags))
            posix_spawnattr_setpgroup(&attributes, 0)
            // Dispatch's threads block signals, and a child inherits that: it would be deaf to SIGTERM.
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2] {
                sigaddset(&signals, signal)
            }
            posix_spawnattr_setsigdefault(&attributes, &signals)

            let argumentPointers = ([executable] + arguments).map { strdup($0) }
            let environmentPointers = environment.map { strdup("\($0.key)=\($0.value)") }
            defer { (argumentPointers + environmentPointers).forEach { free($0) } }
            var identifier: pid_t = 0
            let code = posix_spawn(
                &identifier, executable, &actions, &attributes, argumentPointers + [nil], environmentPointers + [nil])
            guard code == 0 else { throw LabError.system("posix_spawn \(executable)", code) }
            return identifier
        }

        #if !os(macOS)
            private typealias AddCloseFrom =
                @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

            /// Since glibc 2.34. Looked up, so that the tests still build with an older one.
            private static let closeFrom: AddCloseFrom? = {
                guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return nil }
                return unsafeBitCast(symbol, to: AddCloseFrom.self)
            }()
        #endif
    #else
        static func spawn(
            _ executable: String, _ arguments: [String], environment: [String: String], input: Int32, output: Int32,
            error: Int32
        ) throws -> pid_t { throw LabError.system("posix_spawn \(executable)", ENOTSUP) }
    #endif
}
