/// An entity tag (RFC 9110, section 8.8.3), to the letter as the server wrote it: some forget the quotes, and want the same back.
package struct EntityTag: Hashable, Sendable {
    package let text: String

    package init?(_ text: String?) {
        guard let text, !text.isEmpty else { return nil }
        self.text = text
    }

    package var isWeak: Bool { text.hasPrefix("W/") }

    private var opaque: Substring { isWeak ? text.dropFirst(2) : text[...] }

    /// Whether both are strong and the same (section 8.8.3.2).
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && text == other.text }

    /// Whether they are the same, weak or not.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// What `If-None-Match` asks for (section 13.1.2).
    package enum Condition: Equatable {
        /// `*`: any.
        case any
        case tags([EntityTag])

        package init(_ value: String) {
            let members = value.listMembers(hasEscapes: false)
            self = members == ["*"] ? .any : .tags(members.compactMap { EntityTag(String($0)) })
        }

        package func contains(_ tag: EntityTag) -> Bool {
            switch self {
            case .any: true
            case .tags(let tags): tags.contains { $0.matchesWeakly(tag) }
            }
        }
    }
}
