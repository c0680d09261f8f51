#if os(Linux)
    import CLibcurl
    import NetCore

    /// A thread that runs the loops of transports. All transports of a process share at most one thread for each core.
    ///
    /// A loop keeps its connections, its limits and its trust to itself; only the thread is shared. While a thread has one loop, it waits
    /// for the loop's descriptors directly, so that a single client pays nothing for this. The thread ends with its last loop.
    ///
    /// A loop with a ``ServerTrustPolicy`` has a thread of its own: the policy is the user's code, and may wait for another client.
    final class CurlThread: @unchecked Sendable {
        // Unchecked: `state` is used under the lock of `shared`, all else by the thread alone.
        private var state = State()
        /// See `nc_group_make`; -1 for a thread that is not shared.
        private let group: Int32
        private var members: [Member] = []
        /// The loops with something to do now.
        private var busy: [Member] = []
        /// The earliest time when one of the loops may have something to do.
        private var due = NC_NEVER
        /// Whether a loop has arrived or ended.
        private var hasChanged = false
        private var ready = [UnsafeMutableRawPointer?](repeating: nil, count: CurlThread.batch)

        private struct State {
            var arrivals: [CurlLoop] = []
            var loopCount = 0
            /// Takes the message that there are arrivals; nil before the thread runs.
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

        /// The threads that take loops.
        private static let shared = Locked([CurlThread]())
        private static let limit = max(1, ProcessInfo.processInfo.activeProcessorCount)
        /// The loops that are noticed in one turn.
        private static let batch = 64

        private init(_ loop: CurlLoop, group: Int32) {
            self.group = group
            state.arrivals = [loop]
            state.loopCount = 1
        }

        deinit {
            if group >= 0 { close(group) }
        }

        // MARK: Any thread

        /// Has a thread run a loop until it stops: the one with the fewest loops, or a new one.
        static func run(_ loop: CurlLoop) {
            guard loop.configuration.trustPolicy == nil else { return CurlThread(loop, group: -1).start() }
            let (new, receiver) = shared.withLock { threads -> (CurlThread?, CurlCore?) in
                guard threads.count >= limit, let thread = threads.min(by: { $0.state.loopCount < $1.state.loopCount })
                else {
                    let new = CurlThread(loop, group: nc_group_make())
                    // Without a descriptor for the group, it can have no second loop.
                    if new.group >= 0 { threads.append(new) }
                    return (new, nil)
                }
                thread.state.arrivals.append(loop)
                thread.state.loopCount += 1
                return (nil, thread.state.receiver)
            }
            new?.start()
            receiver?.announceArrival()
        }

        private func start() {
            let error = nc_thread_start(
                "net.curl", { Unmanaged<CurlThread>.fromOpaque($0).takeRetainedValue().run() },
                Unmanaged.passRetained(self).toOpaque())
            guard error != 0 else { return }
            Unmanaged.passUnretained(self).release()
            // Without a thread, every exchange so far is refused on this one.
            for loop in leave() {
                loop.refuseAll(
                    NetworkError.unsupported("The transport cannot start a thread: \(String(cString: strerror(error)))")
                )
            }
        }

        /// Takes no more loops. Returns those that have arrived.
        private func leave() -> [CurlLoop] {
            Self.shared.withLock { threads in
                threads.removeAll { $0 === self }
                defer { state = State() }
                return state.arrivals
            }
        }

        // MARK: The thread

        private func run() {
            while admit() {
                hasChanged = false
                if members.count == 1 {
                    runAlone(members[0])
                } else {
                    while !hasChanged { turn() }
                }
            }
        }

        private func runAlone(_ member: Member) {
            busy.removeAll()
            member.isBusy = false
            while true {
                let time = member.loop.turn()
                finish(member)
                if hasChanged { return }
                member.loop.wait(until: time)
            }
        }

        /// Takes the loops that have arrived. Returns false if there are none and the thread is to end.
        private func admit() -> Bool {
            let arrivals = Self.shared.withLock { threads in
                if members.isEmpty, state.arrivals.isEmpty { threads.removeAll { $0 === self } }
                defer { state.arrivals = [] }
                state.receiver = members.first?.loop.core ?? state.arrivals.first?.core
                return state.arrivals
            }
            // One that was alone was not watched, and its timer is not known.
            var new = arrivals.isEmpty || members.count != 1 ? [] : members
            for loop in arrivals {
                loop.setUp()
                let member = Member(loop, index: members.count)
                members.append(member)
                new.append(member)
            }
            guard members.count > 1 else { return !members.isEmpty }
            for member in new {
                watch(member)
                note(member)
            }
            return true
        }

        /// One turn of each loop that has something to do.
        private func turn() {
            let count = nc_group_wait(group, busy.isEmpty ? due : NC_AT_ONCE, &ready, Int32(Self.batch))
            for case let member? in ready.prefix(max(0, Int(count))) {
                note(Unmanaged<Member>.fromOpaque(member).takeUnretainedValue())
            }
            noteDue()
            let current = busy
            busy.removeAll(keepingCapacity: true)
            for member in current {
                member.isBusy = false
                member.loop.wait(until: NC_AT_ONCE)
                member.due = member.loop.turn()
                finish(member)
                guard !member.loop.isStopping else { continue }
                watch(member)
                if member.due == NC_AT_ONCE { note(member) } else { due = min(due, member.due) }
            }
        }

        private func note(_ member: Member) {
            guard !member.isBusy else { return }
            member.isBusy = true
            busy.append(member)
        }

        /// Notes the loops whose time has come. A later time of a loop does not change `due`, so a busy thread looks at all of them only about
        /// once in a timeout.
        private func noteDue() {
            guard due != NC_NEVER else { return }
            let now = nc_clock()
            guard now >= due else { return }
            due = NC_NEVER
            for member in members where !member.isBusy {
                if member.due <= now { note(member) } else { due = min(due, member.due) }
            }
        }

        /// Has the group watch a loop. Its descriptor is another one once libcurl is set up.
        private func watch(_ member: Member) {
            let descriptor = member.loop.descriptor
            if member.watched != descriptor {
                forget(member)
                let result = nc_group_watch(group, descriptor, Unmanaged.passUnretained(member).toOpaque())
                if result == 0 { member.watched = descriptor }
            }
            // Without memory in the kernel, a loop is asked again and again.
            if member.watched < 0 { member.due = min(member.due, nc_clock() + 10_000_000) }
        }

        private func forget(_ member: Member) {
            if member.watched >= 0 { nc_group_forget(group, member.watched) }
            member.watched = -1
        }

        /// Ends a loop that stops. Notes whether loops have come or gone.
        private func finish(_ member: Member) {
            if member.loop.isStopping {
                forget(member)
                member.loop.tearDown()
                if let last = members.popLast(), last !== member {
                    members[member.index] = last
                    last.index = member.index
                }
                Self.shared.withLock { _ in
                    state.loopCount -= 1
                    state.receiver = members.first?.loop.core
                }
                hasChanged = true
            }
            if member.loop.hasArrivals {
                member.loop.hasArrivals = false
                hasChanged = true
            }
        }
    }
#endif
