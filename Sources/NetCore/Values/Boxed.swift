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
