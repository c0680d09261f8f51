import NetCore

extension TransportError.Code {
    /// The name of the code in Swift.
    var codeName: String {
        let words = rawValue.split(separator: "_")
        return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.capitalized }
    }
}
