import NetCache

/// What a user has done to a note.
enum Change {
    case saved(Note)
    case deleted(Note.ID)

    /// A change that still has to reach the server; nil for what the server has refused.
    init?(_ operation: PendingOperation) {
        guard operation.state != .failed else { return nil }
        switch operation.method {
        case .put:
            guard let note = operation.body.flatMap({ try? JSONDecoder().decode(Note.self, from: $0) }) else {
                return nil
            }
            self = .saved(note)
        case .delete:
            guard let id = UUID(uuidString: operation.url.lastPathComponent) else { return nil }
            self = .deleted(id)
        default:
            return nil
        }
    }

    /// Twice is as good as once.
    func apply(to notes: inout [Note]) {
        switch self {
        case .saved(let note):
            notes.removeAll { $0.id == note.id }
            notes.append(note)
        case .deleted(let id):
            notes.removeAll { $0.id == id }
        }
    }
}
