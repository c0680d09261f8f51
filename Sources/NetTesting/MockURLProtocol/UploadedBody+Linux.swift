#if !canImport(Darwin)
    import NetCore

    extension UploadedBody {
        /// Returns the body of an upload task, which Foundation on Linux shows only to its own protocols.
        ///
        /// Reflection reads the property that Foundation's own protocol reads. If a later Foundation keeps the body elsewhere, it is nil.
        static func source(of task: URLSessionTask) -> Source {
            if let body = property("knownBody", of: task) { return known(body) }
            guard let session = property("session", of: task) as? URLSession,
                let delegate = session.delegate as? any URLSessionTaskDelegate
            else { return .none }
            // The delegate has the stream. Foundation's own protocol asks for it in the same way.
            return .question { answer in delegate.urlSession(session, task: task, needNewBodyStream: answer) }
        }

        private static func property(_ name: String, of object: Any) -> Any? {
            var mirror: Mirror? = Mirror(reflecting: object)
            while let current = mirror {
                if let child = current.children.first(where: { $0.label == name }) { return unwrapped(child.value) }
                mirror = current.superclassMirror
            }
            return nil
        }

        /// Returns the value of an optional within `Any`.
        private static func unwrapped(_ value: Any) -> Any? {
            let mirror = Mirror(reflecting: value)
            return mirror.displayStyle == .optional ? mirror.children.first?.value : value
        }

        /// Returns the source of an enumeration's payload.
        private static func known(_ body: Any) -> Source {
            switch Mirror(reflecting: body).children.first?.value {
            case let data as DispatchData: .data(Data(data))
            case let url as URL: .file(url)
            case let stream as InputStream: .stream(stream)
            default: .none
            }
        }
    }
#endif
