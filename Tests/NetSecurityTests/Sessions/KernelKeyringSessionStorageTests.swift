#if os(Linux)
    import CSecurity
    import NetCore
    import NetSecurity
    import Testing

    @Suite("KernelKeyringSessionStorage")
    struct KernelKeyringSessionStorageTests {
        private let storage = KernelKeyringSessionStorage(service: "test \(UUID())")

        /// Containers forbid it, and then all that can be shown is that this is said.
        private static let isThere: Bool = {
            let key = ns_key_add(Int32(NS_SESSION_KEYRING), "networking probe", "x", 1)
            guard key > 0 else { return false }
            return ns_key_unlink(Int32(key), Int32(NS_SESSION_KEYRING)) == 0
        }()

        @Test(.enabled(if: isThere)) func keepsSessions() throws {
            #expect(try storage.data(for: "ada") == nil)
            try storage.store(Data("one".utf8), for: "ada")
            try storage.store(Data("three".utf8), for: "ada")
            try storage.store(Data("b".utf8), for: "bob")
            #expect(try storage.data(for: "ada") == Data("three".utf8))
            #expect(try storage.data(for: "bob") == Data("b".utf8))
            try storage.remove(for: "ada")
            try storage.remove(for: "ada")
            #expect(try storage.data(for: "ada") == nil)
            #expect(try storage.data(for: "bob") != nil)
            try storage.removeAll()
            #expect(try storage.data(for: "bob") == nil)
        }

        @Test(.enabled(if: isThere)) func otherServicesAreLeftAlone() throws {
            let other = KernelKeyringSessionStorage(service: "test \(UUID())")
            try other.store(Data("other".utf8), for: "ada")
            try storage.store(Data("ours".utf8), for: "ada")
            try storage.removeAll()
            #expect(try storage.data(for: "ada") == nil)
            #expect(try other.data(for: "ada") == Data("other".utf8))
            try other.removeAll()
        }

        @Test(.enabled(if: isThere)) func tooMuchIsAnErrorAndNotACut() {
            #expect(throws: SessionStorageError.self) { try storage.store(Data(count: 40_000), for: "ada") }
        }

        @Test(.enabled(if: !isThere)) func saysThatThereIsNone() {
            #expect(throws: SessionStorageError.self) { try storage.data(for: "ada") }
        }
    }
#endif
