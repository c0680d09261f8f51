// Threads and programs: what Glibc has as structures, Apple's systems have as pointers that may be nil.
public import Glibc

/// man 3 pthread_create
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    typealias Start = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    var made = pthread_t()
    let code = Glibc.pthread_create(&made, attributes, unsafeBitCast(start, to: Start.self), argument)
    if code == 0 { thread.pointee = made }
    return code
}

/// man 3 posix_spawn_file_actions_init
@discardableResult
public func posix_spawn_file_actions_init(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>) -> Int32 {
    var made = posix_spawn_file_actions_t()
    let code = Glibc.posix_spawn_file_actions_init(&made)
    actions.pointee = made
    return code
}

/// man 3 posix_spawn_file_actions_destroy
@discardableResult
public func posix_spawn_file_actions_destroy(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>) -> Int32 {
    guard var made = actions.pointee else { return EINVAL }
    actions.pointee = nil
    return Glibc.posix_spawn_file_actions_destroy(&made)
}

/// man 3 posix_spawn_file_actions_addopen
@discardableResult
public func posix_spawn_file_actions_addopen(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>, _ descriptor: Int32, _ path: UnsafePointer<CChar>,
    _ flags: Int32, _ mode: mode_t
) -> Int32 {
    guard var made = actions.pointee else { return EINVAL }
    defer { actions.pointee = made }
    return Glibc.posix_spawn_file_actions_addopen(&made, descriptor, path, flags, mode)
}

/// man 2 posix_spawn
public func posix_spawn(
    _ identifier: UnsafeMutablePointer<pid_t>, _ path: UnsafePointer<CChar>,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>, _ attributes: UnsafePointer<posix_spawnattr_t>?,
    _ arguments: [UnsafeMutablePointer<CChar>?], _ variables: [UnsafeMutablePointer<CChar>?]
) -> Int32 {
    guard var made = actions.pointee else { return EINVAL }
    return Glibc.posix_spawn(identifier, path, &made, attributes, arguments, variables)
}
