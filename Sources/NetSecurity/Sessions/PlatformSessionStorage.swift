import NetCore

/// The system's usual storage. What stands in its way is told when it is used, since making a ``SessionProvider`` does not throw.
struct PlatformSessionStorage: SessionStorage {
    private let made: Result<any SessionStorage, SessionStorageError>

    init() {
        #if canImport(Security)
            made = .success(KeychainSessionStorage())
        #else
            made = Result { () throws(SessionStorageError) in try FileSessionStorage(directory: Self.directory) }
        #endif
    }

    func data(for userID: String) throws -> Data? { try made.get().data(for: userID) }
    func store(_ data: Data, for userID: String) throws { try made.get().store(data, for: userID) }
    func remove(for userID: String) throws { try made.get().remove(for: userID) }
    func removeAll() throws { try made.get().removeAll() }

    #if !canImport(Security)
        /// `~/.local/state/PROGRAM/sessions`, by the XDG Base Directory Specification, which wants absolute paths.
        static var directory: URL {
            let variable = ProcessInfo.processInfo.environment["XDG_STATE_HOME"].flatMap {
                $0.hasPrefix("/") ? $0 : nil
            }
            let home = FileManager.default.homeDirectoryForCurrentUser
            return URL(fileURLWithPath: variable ?? home.path + "/.local/state", isDirectory: true)
                .appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
                .appendingPathComponent("sessions", isDirectory: true)
        }
    #endif
}
