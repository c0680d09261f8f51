@_exported public import struct Darwin.os_unfair_lock
// <os/lock.h> is part of both modules.
@_exported public import func Darwin.os_unfair_lock_lock
@_exported public import typealias Darwin.os_unfair_lock_t
@_exported public import func Darwin.os_unfair_lock_trylock
@_exported public import func Darwin.os_unfair_lock_unlock
