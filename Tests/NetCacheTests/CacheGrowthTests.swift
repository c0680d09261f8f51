import TestLab
import Testing

@testable import NetCache

/// Everything in NetCache that reads text of a server or a file, at its worst inputs.
@Suite(.serialized, .optimized) struct CacheGrowthTests {
    static let readers = [
        GrowthReader("Cache-Control of a response") { _ = ResponseDirectives(["Cache-Control": $0, "Pragma": $0]) },
        GrowthReader("Cache-Control with names") { _ = ResponseDirectives(["Cache-Control": "private=\"" + $0]) },
        GrowthReader("Cache-Control of a request") { _ = RequestDirectives(cacheControl: $0, pragma: $0) },
        GrowthReader("Stored fields") {
            _ = StoredHeaders.storable(
                ["Connection": $0], directives: ResponseDirectives(["Cache-Control": "no-cache=\"\($0)\""]),
                rules: CacheRules(), now: Date(timeIntervalSince1970: 0))
        },
        GrowthReader("Disk record", of: "NetCache/Disk/DiskRecord.swift", "NetSystem/Files/ByteCoding.swift") {
            let data = Data($0.utf8)
            _ = DiskRecord.headLength(of: data)
            _ = try? DiskRecord(data)
        },
        GrowthReader("JSON bodies", of: "NetCache/Rules/CanonicalJSON.swift") {
            _ = CanonicalJSON(Data($0.utf8))?.isGraphQLMutation
            _ = CanonicalJSON(Data("[\($0)]".utf8))
        },
        GrowthReader("GraphQL documents", of: "NetCache/Rules/CanonicalJSON.swift") { document in
            guard let text = try? JSONEncoder().encode(["query": document]) else { return }
            _ = CanonicalJSON(text)?.isGraphQLMutation
        },
        GrowthReader(
            "Pending operations", of: "NetCache/Offline/JournalRecord.swift",
            units: [
                ("", Array("NCq+\u{0}\u{0}\u{10}\u{0}".utf8)), ("", Array("NCq+\u{0}\u{1}\u{0}\u{0}........".utf8)),
            ]
        ) {
            _ = JournalContents(Data(count: JournalHeader.length) + Data($0.utf8), salt: 1)
            _ = JournalHeader(Data($0.utf8))
        },
    ]

    @Test("Work is linear in the text", arguments: readers) func isLinear(_ reader: GrowthReader) async {
        #expect(await reader.failures() == [])
    }
}
