#if os(Linux)
    import CLibcurl
    import NetCore

    /// Runs a loop on a thread of its own until it stops, or has had no exchange for a second. Then ``IdleLoops`` takes it.
    ///
    /// Loops with exchanges do not share threads: a handshake takes milliseconds, for which the exchanges of other clients would wait.
    enum CurlThread {
        /// The time for which a loop without exchanges keeps its thread, in nanoseconds.
        private static let idleTime: Int64 = 1_000_000_000

        /// Starts a thread that runs the loop. Returns 0, or an errno if the thread could not be started.
        static func start(_ loop: CurlLoop) -> Int32 {
            // The thread releases the loop.
            let pointer = Unmanaged.passRetained(loop).toOpaque()
            let error = nc_thread_start("net.curl", main, pointer)
            if error != 0 { Unmanaged<CurlLoop>.fromOpaque(pointer).release() }
            return error
        }

        private static let main: @convention(c) (UnsafeMutableRawPointer) -> Void = { pointer in
            CurlThread.run(Unmanaged<CurlLoop>.fromOpaque(pointer).takeRetainedValue())
        }

        private static func run(_ loop: CurlLoop) {
            if !loop.isSetUp { loop.setUp() }
            // Sets the loop's clock, which stood still while the loop was idle.
            loop.wait(until: NC_AT_ONCE)
            var idleSince: Int64 = 0
            while true {
                let time = loop.turn()
                if loop.isStopping { return loop.tearDown() }
                guard loop.isIdle, time != NC_AT_ONCE else {
                    idleSince = 0
                    loop.wait(until: time)
                    continue
                }
                if idleSince == 0 {
                    idleSince = nc_clock()
                } else if nc_clock() - idleSince >= idleTime {
                    if IdleLoops.shared.take(loop) { return }
                    idleSince = 0
                }
                loop.wait(until: min(time, idleSince + idleTime))
            }
        }
    }

    /// The thread that waits for all loops without exchanges, so that an idle client costs none.
    ///
    /// It serves what they still have to do, such as closing a connection that the server has closed. A loop that gets an exchange goes back
    /// to a thread of its own before it takes the exchange.
    final class IdleLoops: @unchecked Sendable {
        // Unchecked: all but `state` belongs to the thread, of which there is one at a time.
        static let shared = IdleLoops()

        private struct State {
            var arrivals: [CurlLoop] = []
            /// See `nc_group_make`; -1 without a thread.
            var group: Int32 = -1
            /// Receives the command that loops have arrived; nil before the thread has a loop.
            var receiver: CurlCore?
        }

        private final class Member {
            let loop: CurlLoop
            /// Its place among the members.
            var index: Int
            var due = NC_AT_ONCE
            var isBusy = false
            /// The descriptor that the group watches; -1 for none.
            var watched: Int32 = -1

            init(_ loop: CurlLoop, index: Int) {
                self.loop = loop
                self.index = index
            }
        }

        private let state = Locked(State())
        private var group: Int32 = -1
        private var members: [Member] = []
        /// The loops with something to do now.
        private var busy: [Member] = []
        /// The earliest time when one of the loops may have something to do.
        private var due = NC_NEVER
        /// Whether a loop has arrived or gone.
        private var hasChanged = false
        private var ready = [UnsafeMutableRawPointer?](repeating: nil, count: 64)

        // MARK: Any thread

        /// Takes a loop from its thread. Returns false if the descriptor of idle loops cannot be created. The loop then keeps its thread.
        func take(_ loop: CurlLoop) -> Bool {
            let taken = state.withLock { state -> (mustStart: Bool, receiver: CurlCore?)? in
                let mustStart = state.group < 0
                if mustStart { state.group = nc_group_make() }
                guard state.group >= 0 else { return nil }
                state.arrivals.append(loop)
                return (mustStart, state.receiver)
            }
            guard let taken else { return false }
            taken.receiver?.announceArrival()
            guard taken.mustStart else { return true }
            // Unretained: `shared` is never released.
            let error = nc_thread_start(
                "net.curl-idle", { Unmanaged<IdleLoops>.fromOpaque($0).takeUnretainedValue().run() },
                Unmanaged.passUnretained(self).toOpaque())
            // Then the thread that the loop leaves serves them all.
            if error != 0 { run() }
            return true
        }

        // MARK: The thread

        private func run() {
            while admit() {
                hasChanged = false
                while !hasChanged { turn() }
            }
        }

        /// Takes the loops that have arrived. Returns false if the thread has no loop left, and is to end.
        private func admit() -> Bool {
            let arrivals = state.withLock { state -> [CurlLoop]? in
                if members.isEmpty, state.arrivals.isEmpty {
                    close(state.group)
                    // From here on, all but `state` belongs to the next thread.
                    state = State()
                    return nil
                }
                group = state.group
                state.receiver = members.first?.loop.core ?? state.arrivals.first?.core
                defer { state.arrivals = [] }
                return state.arrivals
            }
            guard let arrivals else { return false }
            for loop in arrivals {
                let member = Member(loop, index: members.count)
                members.append(member)
                watch(member)
                note(member)
            }
            return true
        }

        /// Waits, and runs one turn of each loop that has something to do.
        private func turn() {
            let count = nc_group_wait(group, busy.isEmpty ? due : NC_AT_ONCE, &ready, Int32(ready.count))
            for case let member? in ready.prefix(max(0, Int(count))) {
                // The group returns no member that was removed: `forget(_:)` comes first.
                note(Unmanaged<Member>.fromOpaque(member).takeUnretainedValue())
            }
            noteDue()
            let current = busy
            busy.removeAll(keepingCapacity: true)
            for member in current {
                member.isBusy = false
                // An exchange may call the app's code, such as an observer, which could wait for another loop of this thread.
                let hasStart = member.loop.hasStart
                if hasStart, release(member) { continue }
                member.loop.wait(until: NC_AT_ONCE)
                // Without a thread for the loop, this one starts its exchanges. One that comes from here on waits for the next turn.
                member.due = member.loop.turn(startsExchanges: hasStart || !member.loop.isIdle)
                if member.loop.hasArrivals {
                    member.loop.hasArrivals = false
                    hasChanged = true
                }
                if member.loop.isStopping {
                    remove(member)
                    member.loop.tearDown()
                } else if !member.loop.isIdle, release(member) {
                    continue
                } else {
                    watch(member)
                    if member.due == NC_AT_ONCE { note(member) } else { due = min(due, member.due) }
                }
            }
        }

        private func note(_ member: Member) {
            guard !member.isBusy else { return }
            member.isBusy = true
            busy.append(member)
        }

        /// Notes the loops whose time has come. A later time of a loop does not change `due`, so all of them are looked at only about once in
        /// a timeout.
        private func noteDue() {
            guard due != NC_NEVER else { return }
            let now = nc_clock()
            guard now >= due else { return }
            due = NC_NEVER
            for member in members where !member.isBusy {
                if member.due <= now { note(member) } else { due = min(due, member.due) }
            }
        }

        /// Has the group watch a loop. The descriptor of a loop changes if libcurl is set up later.
        private func watch(_ member: Member) {
            let descriptor = member.loop.descriptor
            if member.watched != descriptor {
                forget(member)
                // Unretained: `members` holds the member until `remove(_:)`.
                let result = nc_group_watch(group, descriptor, Unmanaged.passUnretained(member).toOpaque())
                if result == 0 { member.watched = descriptor }
            }
            // If the kernel has no memory to watch it, the loop gets a turn every 10 ms.
            if member.watched < 0 { member.due = min(member.due, nc_clock() + 10_000_000) }
        }

        private func forget(_ member: Member) {
            if member.watched >= 0 { nc_group_forget(group, member.watched) }
            member.watched = -1
        }

        /// Gives a loop a thread of its own. Returns false if the thread cannot be started. The loop then stays.
        private func release(_ member: Member) -> Bool {
            // The other thread may run before this one goes on.
            remove(member)
            if CurlThread.start(member.loop) == 0 { return true }
            member.index = members.count
            members.append(member)
            return false
        }

        private func remove(_ member: Member) {
            forget(member)
            if let last = members.popLast(), last !== member {
                members[member.index] = last
                last.index = member.index
            }
            state.withLock { $0.receiver = members.first?.loop.core }
            hasChanged = true
        }
    }
#endif
