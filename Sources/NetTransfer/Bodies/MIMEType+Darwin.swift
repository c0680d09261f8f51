#if canImport(UniformTypeIdentifiers)
    import UniformTypeIdentifiers

    extension MIMEType {
        /// By Apple's uniform types.
        static func systemType(forExtension fileExtension: String) -> String? {
            UTType(filenameExtension: fileExtension)?.preferredMIMEType
        }
    }
#endif
