/// A queue in order of arrival. Adding and taking an element cost constant time on average, and the storage is proportional to the
/// elements that wait.
package struct FIFO<Element> {
    /// The elements. Those before ``first`` were taken, and are nil.
    @usableFromInline var elements: [Element?] = []
    /// The index of the first element that was not taken.
    @usableFromInline var first = 0

    package init() {}

    /// The number of elements that wait.
    @inlinable package var count: Int { elements.count - first }

    /// Adds an element at the end.
    @inlinable package mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Removes and returns the first element, or returns nil if there is none.
    @inlinable package mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first]
        elements[first] = nil
        first += 1
        if first == elements.count || first >= 64 && first >= elements.count / 2 {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }
}
