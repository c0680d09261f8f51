/// A system library that is loaded at run time, so that programs start without it. It stays loaded until the process ends.
package struct DynamicLibrary: @unchecked Sendable {
    // Unchecked for the handle: `dlsym` is thread-safe, and nothing closes the library.
    private let handle: UnsafeMutableRawPointer

    /// Loads the first library that is available.
    ///
    /// - Parameter names: file names such as `libpsl.so.5`, in order of preference.
    /// - Returns: nil if none of them can be loaded.
    package init?(_ names: [String]) {
        guard let handle = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else { return nil }
        self.handle = handle
    }

    /// Returns a function or variable of the library, or nil if it has none of that name.
    ///
    /// - Parameter type: a `@convention(c)` function type or a pointer type that matches the C declaration.
    package func symbol<Symbol>(_ name: String, as type: Symbol.Type = Symbol.self) -> Symbol? {
        dlsym(handle, name).map { unsafeBitCast($0, to: type) }
    }
}
