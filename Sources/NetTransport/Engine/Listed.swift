#if os(Linux)
    /// An element of an unordered list, which knows its place there, so that it is removed in constant time.
    protocol Listed: AnyObject {
        /// The index in the list; -1 outside of it.
        var index: Int { get set }
    }

    extension Array where Element: Listed {
        mutating func enlist(_ element: Element) {
            element.index = count
            append(element)
        }

        /// Removes an element. The last one takes its place. Returns false if it is not in the list.
        mutating func delist(_ element: Element) -> Bool {
            let index = element.index
            guard indices.contains(index), self[index] === element else { return false }
            let last = removeLast()
            if last !== element {
                self[index] = last
                last.index = index
            }
            element.index = -1
            return true
        }
    }
#endif
