internal import CAppleNetwork

/// What libcurl asks and tells while it works for a task, on the task's thread.
protocol CurlLoad: AnyObject {
    var challenges: TLSChallenges { get }
    var verdict: (any Error)? { get set }
    /// What C reads while it shakes hands.
    var kept: [NSData] { get set }
    func didReceive(_ data: Data) -> Int32
    func didReceiveLine(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int
    func rewindBody() -> Bool
    func progress(sent: Int64) -> Int32
}

/// Of a load that only connects.
extension CurlLoad {
    func didReceive(_ data: Data) -> Int32 { 0 }
    func didReceiveLine(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 { 0 }
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
    func rewindBody() -> Bool { true }
}

/// For as long as the load lives.
func curlCallbacks(_ load: any CurlLoad) -> an_callbacks {
    var callbacks = an_callbacks()
    callbacks.context = Unmanaged.passUnretained(load as AnyObject).toOpaque()
    callbacks.write = { context, bytes, count in loadOf(context).didReceive(data(bytes, count)) }
    callbacks.header = { context, bytes, count in
        loadOf(context).didReceiveLine(UnsafeBufferPointer(start: bytes, count: count))
    }
    callbacks.read = { context, buffer, size in
        loadOf(context).read(UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }
    callbacks.rewind = { loadOf($0).rewindBody() ? 0 : Int32(AN_ABORT) }
    callbacks.progress = { loadOf($0).progress(sent: $1) }
    callbacks.verify = { context, list, lengths, count in
        guard let list, let lengths else { return 0 }
        return loadOf(context).isTrusted((0..<count).map { data(list[$0], lengths[$0]) }) ? 1 : 0
    }
    callbacks.identify = { loadOf($0).identify($1, $2, $3) }
    return callbacks
}

private func loadOf(_ context: UnsafeMutableRawPointer?) -> any CurlLoad {
    let object = context.map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
    guard let load = object as? any CurlLoad else { fatalError("AppleStubs: a callback without its context") }
    return load
}

private func data(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Data {
    bytes.map { Data(bytes: $0, count: count) } ?? Data()
}
