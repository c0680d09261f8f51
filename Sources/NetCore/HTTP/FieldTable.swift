/// An ordered list of fields with an index of their names. The index keeps work on many fields linear: a server may send tens of thousands.
struct FieldTable: Sendable {
    private(set) var list: [HTTPHeader]
    /// The position of the first field of each name, by lower-case name. Nil for few fields, where a search is faster.
    private var entries: [String: Entry]?

    private struct Entry {
        var first: Int
        var count: Int
    }

    /// The number of fields from which there is an index.
    private static let indexedCount = 33

    init(capacity: Int = 0) {
        list = []
        list.reserveCapacity(capacity)
    }

    init(_ fields: [HTTPHeader]) {
        list = fields
        index()
    }

    /// Returns the first field of a name, and whether there are others.
    func lookup(_ name: String) -> (first: HTTPHeader, isRepeated: Bool)? {
        entry(of: name).map { (list[$0.first], $0.count > 1) }
    }

    /// The values of each name, under its first spelling and in list order.
    var valuesByName: [(name: String, values: [String])] {
        var result: [(name: String, values: [String])] = []
        result.reserveCapacity(list.count)
        var positions = [String: Int](minimumCapacity: list.count)
        for field in list {
            let name = field.name.asciiLowercased
            if let position = positions[name] {
                result[position].values.append(field.value)
            } else {
                positions[name] = result.count
                result.append((field.name, [field.value]))
            }
        }
        return result
    }

    mutating func append(_ field: HTTPHeader) {
        list.append(field)
        if entries == nil {
            if list.count == Self.indexedCount { index() }
        } else {
            record(field.name, at: list.count - 1)
        }
    }

    /// Replaces the first field of the same name and removes the others. Appends the field if there is none.
    mutating func replace(_ field: HTTPHeader) {
        guard let entry = entry(of: field.name) else { return append(field) }
        list[entry.first] = field
        guard entry.count > 1 else { return }
        var index = -1
        removeAll { other in
            index += 1
            return index > entry.first && other.name.equalsIgnoringASCIICase(field.name)
        }
    }

    /// Does the same for each field of the other table, in linear time. If a name is repeated there, all of its fields are taken.
    mutating func replace(contentsOf other: FieldTable) {
        var unplaced = Dictionary(other.list.lazy.map { ($0.name.asciiLowercased, $0) }) { first, _ in first }
        let names = Set(unplaced.keys)
        let kept = list.compactMap { field in
            let name = field.name.asciiLowercased
            return names.contains(name) ? unplaced.removeValue(forKey: name) : field
        }
        var placed = names.subtracting(unplaced.keys)
        self = FieldTable(kept + other.list.filter { placed.remove($0.name.asciiLowercased) == nil })
    }

    mutating func removeAll(where isRemoved: (HTTPHeader) -> Bool) {
        let count = list.count
        list.removeAll(where: isRemoved)
        if list.count != count { index() }
    }

    mutating func remove(_ name: String) {
        guard entry(of: name) != nil else { return }
        removeAll { $0.name.equalsIgnoringASCIICase(name) }
    }

    private func entry(of name: String) -> Entry? {
        if let entries { return entries[name.asciiLowercased] }
        guard let first = list.firstIndex(where: { $0.name.equalsIgnoringASCIICase(name) }) else { return nil }
        let isRepeated = list[(first + 1)...].contains { $0.name.equalsIgnoringASCIICase(name) }
        return Entry(first: first, count: isRepeated ? 2 : 1)
    }

    private mutating func index() {
        entries = nil
        guard list.count >= Self.indexedCount else { return }
        entries = Dictionary(minimumCapacity: list.count)
        for (position, field) in list.enumerated() { record(field.name, at: position) }
    }

    private mutating func record(_ name: String, at position: Int) {
        entries?[name.asciiLowercased, default: Entry(first: position, count: 0)].count += 1
    }
}
