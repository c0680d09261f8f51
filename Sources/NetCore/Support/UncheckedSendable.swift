/// Carries a value to where it is used next, past the compiler's check: the code that makes one sees to it that only one isolation uses it at a
/// time.
package struct UncheckedSendable<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
