/// A large value behind one reference, copied when it is changed while shared.
///
/// A copy costs one reference count instead of one for each part, and the frame of an asynchronous function holds 8 bytes of it.
package struct Boxed<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        // Changed only through a unique reference.
        @exclusivity(unchecked) nonisolated(unsafe) var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    package init(_ value: Value) { box = Box(value) }

    @inline(__always) package var value: Value {
        _read { yield box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }
}

/// Whether two values are copies of one value that has not changed since. If false, they may still be equal.
///
/// For values around a reference, such as `URLRequest` and `URL`, whose own comparison takes longer.
@inlinable package func haveSameStorage<Value>(_ one: Value, _ other: Value) -> Bool {
    withUnsafeBytes(of: one) { one in withUnsafeBytes(of: other) { one.elementsEqual($0) } }
}
