#if os(Linux)
    import CLibcurl
    import NetCore

    /// A thread that serves connections: it waits until one of them is ready, another thread has sent a command, or a time has come.
    ///
    /// No code of the app runs on it.
    final class EventLoop: @unchecked Sendable {
        // Unchecked: all but `mailbox` belongs to the loop's thread.

        /// What another thread wants of an exchange.
        enum Signal {
            /// Send it over ``HTTPExchange/connection``, or over a new one.
            case start
            case cancel
            /// The reader of the response has taken bytes.
            case resumeReceiving
            /// There are new bytes to send.
            case resumeSending
            /// The request's body has failed.
            case bodyFailed
        }

        private enum Command {
            case signal(Signal, HTTPExchange)
            case perform(@Sendable (EventLoop) -> Void)
        }

        private struct Mailbox {
            var commands: [Command] = []
            var isAsleep = false
        }

        private let mailbox = Locked(Mailbox())
        private let poll: Int32
        private let wake: Int32
        private var taken: [Command] = []
        private var ready = [nc_ready](repeating: nc_ready(owner: nil, events: 0), count: 128)
        /// The clock of this turn, in nanoseconds.
        private(set) var now = nc_clock()
        /// The exchanges that were started here and have not ended.
        private(set) var live: [HTTPExchange] = []
        /// The open connections, also during their handshake.
        private(set) var connections: [Connection] = []
        /// Whether the system may have more to tell than this turn can note.
        private(set) var mayHaveMissedEvents = false
        /// The earliest time when a timer may be due; `NC_NEVER` for none.
        private var due = NC_NEVER
        /// Connections with more to read or to write in the next turn.
        private var busy: [Connection] = []
        /// Connections that were closed in this turn, which may still be among `ready`.
        private var closed: [Connection] = []
        /// Callers to resume at the end of the turn, so that one wake-up of their threads serves many.
        private var resumable: [HTTPExchange] = []
        /// The engines with exchanges that wait, whose time may run out.
        private var watched: [Engine] = []
        /// What all connections of the loop receive into.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: EventLoop.bufferSize, alignment: 16)
        /// The first part of ``buffer``, for the head of a response: most of a body behind it is then received where it stays.
        var headBuffer: UnsafeMutableRawBufferPointer { .init(rebasing: buffer[..<(16 * 1024)]) }

        /// 64 KiB took the least CPU for bodies of 200 bytes, 64 KiB and 500 MB.
        static let bufferSize = 64 * 1024
        /// The bytes that one connection may receive or send in a turn, about, before the others have theirs.
        static let bytesPerTurn = 512 * 1024
        /// The time between two looks at the idle connections, in nanoseconds.
        static let sweepInterval: Int64 = 1_000_000_000

        /// Starts the thread.
        static func start() throws(TransportError) -> EventLoop {
            let poll = nc_poll_make()
            let wake = nc_wake_make()
            guard poll >= 0, wake >= 0, nc_poll_add_wake(poll, wake) == 0 else {
                if poll >= 0 { close(poll) }
                if wake >= 0 { close(wake) }
                throw Descriptors.exhausted(for: "an event loop", url: nil)
            }
            let loop = EventLoop(poll: poll, wake: wake)
            // The thread never ends.
            let pointer = Unmanaged.passRetained(loop).toOpaque()
            let error = nc_thread_start(
                "net.loop", { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue().run() }, pointer)
            guard error == 0 else {
                Unmanaged<EventLoop>.fromOpaque(pointer).release()
                throw TransportError(
                    .other, phase: .preparing,
                    message: "The transport cannot start a thread: \(String(cString: strerror(error)))")
            }
            return loop
        }

        private init(poll: Int32, wake: Int32) {
            self.poll = poll
            self.wake = wake
        }

        deinit {
            close(poll)
            close(wake)
            buffer.deallocate()
        }

        // MARK: Any thread

        func post(_ signal: Signal, _ exchange: HTTPExchange) {
            send(.signal(signal, exchange))
        }

        func perform(_ action: @escaping @Sendable (EventLoop) -> Void) {
            send(.perform(action))
        }

        private func send(_ command: Command) {
            let wakes = mailbox.withLock { box in
                box.commands.append(command)
                defer { box.isAsleep = false }
                return box.isAsleep
            }
            if wakes { nc_wake(wake) }
        }

        // MARK: The thread

        private func run() {
            while true {
                serveBusy()
                if now >= due { fireTimers() }
                resumeCallers()
                // They are not watched any more, and so do not become ready.
                closed.removeAll(keepingCapacity: true)
                // An exchange starts after what the system told since it was submitted: it finds out which idle connections have ended. So
                // commands that come from now on, and the one that ends the sleep, wait for the next turn, and all events are noted before
                // the first one is served.
                let sleeps = takeCommands()
                let count = nc_poll_wait(poll, sleeps ? due : NC_AT_ONCE, &ready, Int32(ready.count))
                now = nc_clock()
                mayHaveMissedEvents = Int(count) == ready.count
                for index in 0..<max(0, Int(count)) { connection(at: index)?.note(Int(ready[index].events)) }
                for index in 0..<max(0, Int(count)) { connection(at: index)?.serve() }
                runCommands()
            }
        }

        /// A connection that has become ready; nil for the wake-up of this thread.
        private func connection(at index: Int) -> Connection? {
            // Unretained: `connections`, and then `closed`, holds it.
            ready[index].owner.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Takes the commands. Returns whether the loop may sleep, as there is nothing to do.
        private func takeCommands() -> Bool {
            mailbox.withLock { box in
                swap(&box.commands, &taken)
                box.isAsleep = busy.isEmpty && taken.isEmpty
                return box.isAsleep
            }
        }

        private func runCommands() {
            guard !taken.isEmpty else { return }
            for command in taken {
                switch command {
                case .signal(let signal, let exchange): exchange.handle(signal, on: self)
                case .perform(let action): action(self)
                }
            }
            taken.removeAll(keepingCapacity: taken.count < 4096)
        }

        private func serveBusy() {
            guard !busy.isEmpty else { return }
            let current = busy
            busy.removeAll(keepingCapacity: true)
            for connection in current {
                connection.isBusy = false
                connection.serve()
            }
        }

        private func resumeCallers() {
            guard !resumable.isEmpty else { return }
            for exchange in resumable { exchange.resumeCaller() }
            resumable.removeAll(keepingCapacity: true)
        }

        // MARK: For connections and exchanges, on the thread

        func add(_ exchange: HTTPExchange) {
            live.enlist(exchange)
        }

        func remove(_ exchange: HTTPExchange) {
            _ = live.delist(exchange)
        }

        /// Has the caller of an exchange resumed at the end of this turn.
        func resume(_ exchange: HTTPExchange) {
            resumable.append(exchange)
        }

        /// Adds a connection, and has its descriptor watched. Returns 0, or an `errno`.
        func add(_ connection: Connection) -> Int32 {
            // Unretained: see `run()`.
            guard nc_poll_add(poll, connection.descriptor, Unmanaged.passUnretained(connection).toOpaque()) == 0 else {
                return errno
            }
            connections.enlist(connection)
            return 0
        }

        /// Removes a connection whose descriptor is about to be closed.
        func remove(_ connection: Connection) {
            guard connections.delist(connection) else { return }
            nc_poll_remove(poll, connection.descriptor)
            // It may be among `ready`.
            closed.append(connection)
        }

        /// Has a connection served in the next turn.
        func noteBusy(_ connection: Connection) {
            guard !connection.isBusy else { return }
            connection.isBusy = true
            busy.append(connection)
        }

        /// Has the exchanges of an engine that wait looked at, at that time at the latest.
        func watch(_ engine: Engine, until time: Int64) {
            if !watched.contains(where: { $0 === engine }) { watched.append(engine) }
            noteDue(time)
        }

        /// Has the timers looked at, at that time at the latest.
        func noteDue(_ time: Int64) {
            if time > 0, time < due { due = time }
        }

        /// Looks at all timers when the earliest may be due. A byte only stores the time, so a busy loop looks about once in a timeout.
        private func fireTimers() {
            due = NC_NEVER
            let exchanges = live
            for exchange in exchanges where exchange.isLive { exchange.checkTime(on: self) }
            var engines: [ObjectIdentifier: Engine] = [:]
            let open = connections
            for connection in open where connection.isOpen {
                connection.checkTime()
                if connection.isIdle { engines[ObjectIdentifier(connection.engine)] = connection.engine }
            }
            for engine in engines.values {
                engine.pool.closeIdle(now: now, on: self, certificate: engine.tls.generation)
            }
            watched.removeAll { !$0.checkWaiting(on: self) }
        }
    }
#endif
