import NetTesting
import NotesBook

/// Stands in for the server: keeps notes in memory, and remembers what it was asked to do.
package final class NotesServer: Sendable {
    /// The server, for tests that let something go wrong.
    package let server: MockServer
    private let desk = Desk()

    package init() throws {
        server = try MockServer()
        server.on("/notes*") { [desk] request in await desk.answer(request) }
    }

    /// The notes that have reached it, the oldest first.
    package var notes: [Note] {
        get async { await desk.notes.values.sorted { $0.changedAt < $1.changedAt } }
    }

    /// The texts that were saved (`+milk`) and deleted (`-milk`), in the order in which that was done.
    package var history: [String] {
        get async { await desk.history }
    }

    /// The next change is made, and its answer never reaches who asked for it.
    package func loseNextAnswer() async {
        await desk.loseNextAnswer()
    }

    package func stop() async { await server.stop() }
}

private actor Desk {
    private(set) var notes: [Note.ID: Note] = [:]
    private(set) var history: [String] = []
    private var answers: [String: MockResponse] = [:]
    private var losesAnswer = false

    func loseNextAnswer() { losesAnswer = true }

    func answer(_ request: RecordedRequest) -> MockResponse {
        if request.method == .get { return .json(Array(notes.values)) }
        defer { losesAnswer = false }
        return losesAnswer ? answerToChange(request).fault(.reset(.beforeResponse)) : answerToChange(request)
    }

    private func answerToChange(_ request: RecordedRequest) -> MockResponse {
        // What was asked under the same key has been done already.
        if let key = request.headers["Idempotency-Key"] {
            if let answer = answers[key] { return answer }
            let answer = change(request)
            answers[key] = answer
            return answer
        }
        return change(request)
    }

    private func change(_ request: RecordedRequest) -> MockResponse {
        switch request.method {
        case .put:
            guard let note: Note = try? request.json(), request.path.hasSuffix("/\(note.id)") else {
                return .status(400)
            }
            guard !note.text.isEmpty else { return .status(422) }
            notes[note.id] = note
            history.append("+\(note.text)")
            return .noContent
        case .delete:
            guard let id = request.path.split(separator: "/").last.flatMap({ UUID(uuidString: String($0)) }) else {
                return .status(400)
            }
            if let note = notes.removeValue(forKey: id) { history.append("-\(note.text)") }
            return .noContent
        default:
            return .status(405)
        }
    }
}
