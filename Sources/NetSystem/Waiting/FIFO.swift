/// A queue in order of arrival. Adding and taking an element cost constant time on average, and the storage is proportional to the
/// elements that wait.
package struct FIFO<Element> {
    /// The elements. Those before ``start`` were taken, and are nil.
    @usableFromInline var elements: [Element?] = []
    /// The index of the first element that was not taken.
    @usableFromInline var start = 0

    package init() {}

    /// The number of elements that wait.
    @inlinable package var count: Int { elements.count - start }

    /// The element that ``popFirst()`` would take.
    @inlinable package var first: Element? { count > 0 ? elements[start] : nil }

    /// The elements that wait, in order.
    package var all: [Element] { elements[start...].compactMap { $0 } }

    /// Adds an element at the end.
    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the first element, or returns nil if there is none.
    @inlinable package mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        let element = elements[start]
        elements[start] = nil
        start += 1
        if start == elements.count || start >= 64 && start >= elements.count / 2 {
            elements.removeFirst(start)
            start = 0
        }
        return element
    }

    /// Removes the elements that match.
    package mutating func removeAll(where matches: (Element) -> Bool) {
        (elements, start) = (all.filter { !matches($0) }, 0)
    }
}
