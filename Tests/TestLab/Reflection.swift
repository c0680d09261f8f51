private struct Holder {
    let value: Any
}

private final class ClassHolder {
    let value: Any?
    init(_ value: Any?) { self.value = value }
}

/// Returns the texts of a value that show a secret: `print`, `dump`, `Mirror` and interpolation, of the value alone and inside others.
package func textsShowing(_ secret: String, of value: Any) -> [String] {
    // `dump` shows data as numbers, one a line and indented.
    let numbers = secret.utf8.prefix(4).map { "-\($0)\n" }.joined()
    return texts(of: value).filter { $0.contains(secret) || $0.filter { $0 != " " }.contains(numbers) }
}

/// Returns the texts that a value becomes, alone and inside others.
private func texts(of value: Any) -> [String] {
    let nested: [Any] = [
        value, Optional(value) as Any, [value], ["key": value], (value, 1), Holder(value: value), ClassHolder(value),
        [Holder(value: [Optional(value)])],
    ]
    return nested.flatMap { value -> [String] in
        var dumped = ""
        dump(value, to: &dumped)
        var printed = ""
        print(value, to: &printed)
        var debugged = ""
        debugPrint(value, to: &debugged)
        return [dumped, printed, debugged, "\(value)", String(describing: value), String(reflecting: value)]
            + leaves(of: value)
    }
}

/// Returns the texts that a logger finds which follows mirrors to the end.
private func leaves(of value: Any, depth: Int = 0) -> [String] {
    guard depth < 12 else { return [] }
    var mirror: Mirror? = Mirror(reflecting: value)
    var texts = ["\(value)"]
    while let current = mirror {
        for child in current.children {
            texts.append(child.label ?? "")
            texts += leaves(of: child.value, depth: depth + 1)
        }
        mirror = current.superclassMirror
    }
    return texts
}
