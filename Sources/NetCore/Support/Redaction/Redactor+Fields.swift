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
            let text = String(decoding: item, as: UTF8.self)
            guard let equals = text.firstIndex(of: "=") else { return item.isEmpty ? Data() : Data(Self.mark.utf8) }
            let name = text[..<equals]
            let value = text[text.index(after: equals)...]
            let decodedName = PercentDecoding.text(name, plusIsSpace: true)
            let shown = fieldValue(PercentDecoding.text(value, plusIsSpace: true), named: decodedName)
            let isNameShown = !SecretScanner.holdsSecret(decodedName, rules)
            return Data("\(isNameShown ? String(name) : Self.mark)=\(shown == Self.mark ? shown : String(value))".utf8)
        }
        return Data(items.joined(separator: [UInt8(ascii: "&")]))
    }

    /// The names and values of a form, decoded, values replaced by the mark.
    package func formItems(_ data: Data) -> [(name: String, value: String)] {
        data.split(separator: UInt8(ascii: "&")).map { item in
            let parts = String(decoding: item, as: UTF8.self).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map { PercentDecoding.text($0, plusIsSpace: true) }
            guard parts.count == 2 else { return (isEnabled ? Self.mark : parts[0], "") }
            let name = rules.map { SecretScanner.holdsSecret(parts[0], $0) } == true ? Self.mark : parts[0]
            return (name, fieldValue(parts[1], named: parts[0]))
        }
    }
}
