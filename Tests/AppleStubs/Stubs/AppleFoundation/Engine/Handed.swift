/// What C hands over.
enum Handed {
    static func data(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Data {
        bytes.map { Data(bytes: $0, count: count) } ?? Data()
    }

    static func certificates(
        _ list: UnsafePointer<UnsafePointer<UInt8>?>?, _ lengths: UnsafePointer<Int>?, _ count: Int
    ) -> [Data] {
        guard let list, let lengths else { return [] }
        return (0..<count).map { data(list[$0], lengths[$0]) }
    }

    /// The object for whom C was told to call back.
    static func object<Object: AnyObject>(_ context: UnsafeMutableRawPointer?) -> Object {
        guard let context else { fatalError("AppleStubs: a callback without its context") }
        return Unmanaged<Object>.fromOpaque(context).takeUnretainedValue()
    }
}
