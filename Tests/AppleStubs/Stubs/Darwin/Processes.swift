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
    actions.pointee = posix_spawn_file_actions_t()
    return change(actions) { Glibc.posix_spawn_file_actions_init($0) }
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
) -> Int32 { change(actions) { Glibc.posix_spawn_file_actions_addopen($0, descriptor, path, flags, mode) } }

/// man 2 posix_spawn
public func posix_spawn(
    _ identifier: UnsafeMutablePointer<pid_t>, _ path: UnsafePointer<CChar>,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>, _ attributes: UnsafePointer<posix_spawnattr_t?>?,
    _ arguments: [UnsafeMutablePointer<CChar>?], _ variables: [UnsafeMutablePointer<CChar>?]
) -> Int32 {
    guard var made = actions.pointee else { return EINVAL }
    guard var attributes = attributes?.pointee else {
        return Glibc.posix_spawn(identifier, path, &made, nil, arguments, variables)
    }
    return Glibc.posix_spawn(identifier, path, &made, &attributes, arguments, variables)
}

/// man 3 posix_spawn_file_actions_adddup2
@discardableResult
public func posix_spawn_file_actions_adddup2(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>, _ descriptor: Int32, _ new: Int32
) -> Int32 { change(actions) { Glibc.posix_spawn_file_actions_adddup2($0, descriptor, new) } }

/// man 3 posix_spawnattr_setflags: no descriptor but those that are named goes to the child. Glibc has no such flag.
public let POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 = 0

/// man 3 posix_spawnattr_init
@discardableResult
public func posix_spawnattr_init(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>) -> Int32 {
    attributes.pointee = posix_spawnattr_t()
    return change(attributes) { Glibc.posix_spawnattr_init($0) }
}

/// man 3 posix_spawnattr_destroy
@discardableResult
public func posix_spawnattr_destroy(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>) -> Int32 {
    attributes.pointee = nil
    return 0
}

private func change<Value>(
    _ value: UnsafeMutablePointer<Value?>, _ body: (UnsafeMutablePointer<Value>) -> Int32
) -> Int32 {
    guard var made = value.pointee else { return EINVAL }
    defer { value.pointee = made }
    return body(&made)
}

/// man 3 posix_spawnattr_setflags
@discardableResult
public func posix_spawnattr_setflags(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>, _ flags: Int16) -> Int32 {
    change(attributes) { Glibc.posix_spawnattr_setflags($0, flags) }
}

/// man 3 posix_spawnattr_setpgroup
@discardableResult
public func posix_spawnattr_setpgroup(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>, _ group: pid_t) -> Int32 {
    change(attributes) { Glibc.posix_spawnattr_setpgroup($0, group) }
}

/// man 3 posix_spawnattr_setsigmask
@discardableResult
public func posix_spawnattr_setsigmask(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>, _ signals: UnsafePointer<sigset_t>
) -> Int32 { change(attributes) { Glibc.posix_spawnattr_setsigmask($0, signals) } }

/// man 3 posix_spawnattr_setsigdefault
@discardableResult
public func posix_spawnattr_setsigdefault(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>, _ signals: UnsafePointer<sigset_t>
) -> Int32 { change(attributes) { Glibc.posix_spawnattr_setsigdefault($0, signals) } }

extension siginfo_t {
    /// Who was waited for: a field of its own there.
    public var si_pid: pid_t { _sifields._kill.si_pid }
}

/// A number there, an enumeration in Glibc's headers.
public let RLIMIT_FSIZE = Int32(Glibc.RLIMIT_FSIZE.rawValue)
