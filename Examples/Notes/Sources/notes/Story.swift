import NetCache
import NetClient
import NotesBook
import NotesServer

/// A day with the notes: online, in a tunnel, with a restart in it, and online again.
@main
struct Story {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for line in try await tell(in: folder) { print(line) }
    }

    static func tell(in folder: URL) async throws -> [String] {
        var lines: [String] = []
        let server = try NotesServer()
        let flightMode = FlightMode()
        do {
            let book = try await NotesBook(folder: folder, client: .of(server, flightMode))
            lines.append("Online. Two notes are written, and sent at once.")
            let milk = Note("milk")
            try await book.save(milk)
            try await book.save(Note("bread"))
            await book.sync()
            lines.append(try await content(of: book))

            flightMode.set(true)
            lines.append("\nA tunnel. Notes can still be read, written and deleted.")
            try await book.save(Note("coffee"))
            try await book.delete(milk.id)
            await book.sync()
            lines.append(try await content(of: book))
        }
        do {
            lines.append("\nThe app is ended and started again, still in the tunnel.")
            let book = try await NotesBook(folder: folder, client: .of(server, flightMode))
            lines.append(try await content(of: book))

            flightMode.set(false)
            lines.append("\nOnline again. What waited is sent in its order.")
            let summary = await book.sync()
            lines.append("  \(summary.succeeded) changes were sent.")
            lines.append(try await content(of: book))
            lines.append("\nWhat the server was told: \(await server.history.joined(separator: " "))")
        }
        await server.stop()
        return lines
    }

    private static func content(of book: NotesBook) async throws -> String {
        let page = try await book.page()
        let source = page.isUpToDate ? "from the server" : "from this device"
        return "  \(page.notes.map(\.text).joined(separator: ", ")) (\(source), \(page.waiting) changes to be sent)"
    }
}
