/// The last so many of what was put in.
struct Ring<Element> {
    let capacity: Int
    private var elements: [Element] = []
    /// Where the oldest is, once it is full.
    private var start = 0

    /// - Parameter capacity: at least one is kept.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }
    /// From the oldest to the newest.
    var all: [Element] { Array(elements[start...] + elements[..<start]) }

    /// Puts one in, and says whether the oldest had to go for it.
    @discardableResult
    mutating func append(_ element: Element) -> Bool {
        guard elements.count == capacity else {
            elements.append(element)
            return false
        }
        elements[start] = element
        start = (start + 1) % capacity
        return true
    }

    /// All, and none is left.
    mutating func takeAll() -> [Element] {
        defer { self = Ring(capacity: capacity) }
        return all
    }
}
