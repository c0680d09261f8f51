extension Redactor {
    /// The value of a field of a form, or the mark.
    ///
    /// - Parameters:
    ///   - value: decoded.
    ///   - name: decoded: `password`, `user[password]`, `user.password`.
    package func fieldValue(_ value: String, named name: String) -> String {
        guard let rules else { return value }
        let parts = name.utf8.split { "[].".utf8.contains($0) }
        guard let last = parts.last, rules.fields.contains(last), !parts.contains(where: { rules.isSecret($0) }),
            !SecretScanner.holdsSecret(value, rules)
        else { return Self.mark }
        return value
    }

    /// A form (`application/x-www-form-urlencoded`) with values replaced by the mark, the rest to the letter.
    package func form(_ data: Data) -> Data {
        guard let rules else { return data }
        let items = data.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item -> Data in
            // By bytes: a combining mark behind a `=` makes another character of it.
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else {
                return item.isEmpty ? Data() : Data(Self.mark.utf8)
            }
            let name = String(decoding: item[..<equals], as: UTF8.self)
            let value = String(decoding: item[(equals + 1)...], as: UTF8.self)
            let decodedName = PercentDecoding.text(name, plusIsSpace: true)
            let shown = fieldValue(PercentDecoding.text(value, plusIsSpace: true), named: decodedName)
            let isNameShown = !SecretScanner.holdsSecret(decodedName, rules)
            return Data("\(isNameShown ? name : Self.mark)=\(shown == Self.mark ? shown : value)".utf8)
        }
        return Data(items.joined(separator: [UInt8(ascii: "&")]))
    }

    /// The names and values of a form, decoded, values replaced by the mark.
    package func formItems(_ data: Data) -> [(name: String, value: String)] {
        data.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentDecoding.text(String(decoding: $0, as: UTF8.self), plusIsSpace: true) }
            guard parts.count == 2 else { return (isEnabled ? Self.mark : parts[0], "") }
            let name = rules.map { SecretScanner.holdsSecret(parts[0], $0) } == true ? Self.mark : parts[0]
            return (name, fieldValue(parts[1], named: parts[0]))
        }
    }
}
