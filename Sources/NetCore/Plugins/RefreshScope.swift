/// Marks the tasks in which credentials are got, so that the requests which they make wait for nothing that waits for them.
///
/// Authentication sends such requests on as they are. Whoever has requests wait for each other (a limit on how many are sent
/// at once) has to let them by as well: those that hold its places may be waiting for the credentials.
package enum RefreshScope {
    /// What is being refreshed, the outermost first.
    @TaskLocal package static var refreshers: [ObjectIdentifier] = []

    /// Whether this task gets credentials for requests that wait for them.
    package static var isActive: Bool { !refreshers.isEmpty }
}
