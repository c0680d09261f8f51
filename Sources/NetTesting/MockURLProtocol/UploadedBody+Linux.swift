#if !canImport(Darwin)
    import NetCore

    extension UploadedBody {
        /// Returns the body of an upload task, which Foundation on Linux shows only to its own protocols.
        ///
        /// Reflection reads the property that Foundation's own protocol reads. If a later Foundation keeps the body elsewhere, it is nil.
        static func source(of task: URLSessionTask) -> Source {
            if let body = property("knownBody", of: task) {
                // The payload of an enumeration.
                switch Mirror(reflecting: body).children.first?.value {
                case let data as DispatchData: return .data(Data(data))
                case let url as URL: return .file(url)
                case let stream as InputStream: return .stream(stream)
                default: return .none
                }
            }
            guard let session = property("session", of: task) as? URLSession,
                let delegate = session.delegate as? any URLSessionTaskDelegate
            else { return .none }
            // The delegate has the stream. Foundation's own protocol asks for it in the same way.
            return .question { answer in delegate.urlSession(session, task: task, needNewBodyStream: answer) }
        }

        private static func property(_ name: String, of object: Any) -> Any? {
            let mirrors = sequence(first: Mirror(reflecting: object), next: \.superclassMirror)
            let child = mirrors.lazy.flatMap(\.children).first { $0.label == name }
            guard let value = child?.value else { return nil }
            // It may be an optional within `Any`.
            let mirror = Mirror(reflecting: value)
            return mirror.displayStyle == .optional ? mirror.children.first?.value : value
        }
    }
#endif
