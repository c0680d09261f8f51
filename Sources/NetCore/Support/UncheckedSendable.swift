/// Carries a value to where it is used next, past the compiler's check: whoever makes one knows that only one isolation at a time uses it.
package struct UncheckedSendable<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
