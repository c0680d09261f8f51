/// The path to a value in a response, such as `data.user` or `items.0`: keys, and indices of arrays, joined by dots.
///
/// A dot in a key is written `\.`, and a backslash `\\`. The empty path is the whole response.
package struct ResponseKeyPath: Hashable, Sendable {
    package let components: [String]

    package init(_ text: String) {
        var components = text.isEmpty ? [] : [""]
        var isEscaped = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\" where !isEscaped: isEscaped = true
            case "." where !isEscaped: components.append("")
            default:
                components[components.count - 1].unicodeScalars.append(scalar)
                isEscaped = false
            }
        }
        self.components = components
    }

    /// Returns the index that a component means in an array, or nil if it is only a key.
    package static func index(_ component: String) -> Int? {
        component.utf8.allSatisfy(\.isDigit) ? Int(component) : nil
    }
}

extension BodyDecoder {
    /// Decodes the value at a path.
    func decode<Value: Decodable>(_ type: Value.Type, at path: ResponseKeyPath, from data: Data) throws -> Value {
        // A task-local value reaches `init(from:)` through any decoder. `userInfo` would have to be set on the caller's own object.
        try KeyPathWalk.$current.withValue(KeyPathWalk(path: path, converted: convertedKey)) {
            try decode(ValueAtKeyPath<Value>.self, from: data).value
        }
    }

    /// Returns the name that the decoder's key strategy gives a key of the document. Only `JSONDecoder` has a strategy.
    package func convertedKey(_ key: String, at codingPath: [any CodingKey]) -> String {
        guard let decoder = self as? JSONDecoder else { return key }
        switch decoder.keyDecodingStrategy {
        case .useDefaultKeys: return key
        case .custom(let convert): return convert(codingPath + [AnyKey(stringValue: key)]).stringValue
        default:
            let document = try? JSONEncoder().encode([key: 0])
            return document.flatMap { try? decoder.decode(KeyNames.self, from: $0).names.first } ?? key
        }
    }
}

/// The path that a ``ValueAtKeyPath`` is decoded at.
private struct KeyPathWalk: Sendable {
    let path: ResponseKeyPath
    let converted: @Sendable (String, [any CodingKey]) -> String
    @TaskLocal static var current: KeyPathWalk?
}

/// The names of an object's keys, as the decoder converts them.
private struct KeyNames: Decodable {
    let names: [String]

    init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    }
}

/// Decodes the value at the path of ``KeyPathWalk/current``.
private struct ValueAtKeyPath<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        guard let walk = KeyPathWalk.current, let last = walk.path.components.last else {
            value = try decoder.singleValueContainer().decode(Value.self)
            return
        }
        var decoder = decoder
        for component in walk.path.components.dropLast() {
            switch try Step(component, in: decoder, walk) {
            case .key(let object, let key): decoder = try object.superDecoder(forKey: key)
            case .index(var array): decoder = try array.superDecoder()
            }
        }
        // By the container, since decoders treat dates, data and URLs there.
        switch try Step(last, in: decoder, walk) {
        case .key(let object, let key): value = try object.decode(Value.self, forKey: key)
        case .index(var array): value = try array.decode(Value.self)
        }
    }

    /// The place of a component in its container.
    private enum Step {
        case key(KeyedDecodingContainer<AnyKey>, AnyKey)
        /// The array is at the element.
        case index(any UnkeyedDecodingContainer)

        init(_ component: String, in decoder: any Decoder, _ walk: KeyPathWalk) throws {
            if let index = ResponseKeyPath.index(component), var array = try? decoder.unkeyedContainer() {
                var skipped = 0
                while skipped < index, !array.isAtEnd {
                    skipped += 1
                    if try !array.decodeNil() { _ = try array.decode(Skipped.self) }
                }
                guard !array.isAtEnd else {
                    let path = array.codingPath + [AnyKey(intValue: index)]
                    throw DecodingError.valueNotFound(
                        Value.self, .init(codingPath: path, debugDescription: "The array on the key path is at end."))
                }
                self = .index(array)
                return
            }
            let object = try decoder.container(keyedBy: AnyKey.self)
            let names = [component, walk.converted(component, decoder.codingPath)]
            guard let key = names.lazy.map(AnyKey.init(stringValue:)).first(where: object.contains) else {
                throw DecodingError.keyNotFound(
                    AnyKey(stringValue: component),
                    .init(codingPath: decoder.codingPath, debugDescription: "The key path leads to no value."))
            }
            self = .key(object, key)
        }
    }

    private struct Skipped: Decodable { init(from decoder: any Decoder) throws {} }
}
