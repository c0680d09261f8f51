import NetTransport

/// Sends requests of all kinds to a server that answers at once, and fails if one of them takes too long. `Scripts/soak` runs it, slows it
/// down and stops it for moments.
///
///     soak-worker PLAIN_URL TLS_URL HTTP2_URL AUTHORITY SECONDS LIMIT_MILLISECONDS SEED
///
/// The server of PLAIN_URL speaks HTTP/1.1, that of TLS_URL HTTP/2 and HTTP/1.1, that of HTTP2_URL plain HTTP/2. They have the files `small`,
/// `64k` and `2m`, and take PUT below `upload/`. The exit status is 1 if a call was late or failed.
@main
enum SoakWorker {
    static func main() async throws {
        #if os(Linux)
            let arguments = Array(CommandLine.arguments[1...])
            guard arguments.count == 7, let seconds = Double(arguments[4]), let limit = Double(arguments[5]),
                let seed = UInt64(arguments[6])
            else {
                print("see SoakWorker.swift")
                exit(2)
            }
            let watch = SoakWatch(limit: limit / 1000)
            watch.start()
            let servers = try SoakServers(
                plain: arguments[0], tls: arguments[1], http2: arguments[2], authority: arguments[3])
            let end = Date(timeIntervalSinceNow: seconds)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        var caller = SoakCaller(
                            servers: servers, watch: watch, seed: seed &+ UInt64(number) &* 0x9E37_79B9, number: number)
                        while Date() < end {
                            if number == 0 || !watch.isQuiet {
                                await caller.call()
                            } else {
                                try? await Task.sleep(nanoseconds: 50_000_000)
                            }
                        }
                    }
                }
            }
            await servers.shutdown()
            exit(watch.report() ? 0 : 1)
        #else
            print("The soak is of the engine on Linux.")
        #endif
    }
}
