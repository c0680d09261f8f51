import NetClient

/// A note. Its identifier is made where the note is written, so that it can be written without asking a server.
package struct Note: Codable, Hashable, Identifiable, Sendable {
    package let id: UUID
    package var text: String
    package var changedAt: Date

    package init(id: UUID = UUID(), _ text: String, changedAt: Date = Date()) {
        self.id = id
        self.text = text
        self.changedAt = changedAt
    }
}

/// `GET /notes`
package struct GetNotes: Endpoint {
    package var path: String { "/notes" }
    package typealias Response = [Note]
}

/// `PUT /notes/{id}`: twice is as good as once.
package struct PutNote: Endpoint {
    package let note: Note
    package var path: String { "/notes/\(note.id)" }
    package var method: HTTPMethod { .put }
    package var body: (any Encodable & Sendable)? { note }
}

/// `DELETE /notes/{id}`
package struct DeleteNote: Endpoint {
    package let id: Note.ID
    package var path: String { "/notes/\(id)" }
    package var method: HTTPMethod { .delete }
}
