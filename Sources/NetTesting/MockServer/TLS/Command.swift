#if os(Linux) || os(macOS)
    import NetCore

    /// Runs a program to its end. Not by Foundation's `Process`, which on Linux crashes now and then when several start at the same time.
    enum Command {
        /// Runs it with nothing to read, on a thread of its own.
        ///
        /// - Parameter errors: the file that gets what it writes to its standard error.
        /// - Returns: whether it ended with status 0.
        static func run(_ executable: String, _ arguments: [String], errors: String) async throws -> Bool {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try spawnAndWait(executable, arguments, errors) })
                }
            }
        }

        private static func spawnAndWait(_ executable: String, _ arguments: [String], _ errors: String) throws -> Bool {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
            #else
                var actions = posix_spawn_file_actions_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            let pointers = ([executable] + arguments).map { strdup($0) }
            let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") }
            defer { for pointer in pointers + variables { free(pointer) } }
            var identifier: pid_t = 0
            let code = posix_spawn(&identifier, executable, &actions, nil, pointers + [nil], variables + [nil])
            guard code == 0 else { throw NetTestingError.system(call: "posix_spawn", code: code) }
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0 {
                guard errno == EINTR else { throw NetTestingError.system(call: "waitpid", code: errno) }
            }
            return status == 0
        }
    }
#endif
