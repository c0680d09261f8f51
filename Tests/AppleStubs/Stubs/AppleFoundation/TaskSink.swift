/// Who hears of a task: the delegate, or a closure in its place.
enum TaskSink: @unchecked Sendable {
    case delegate
    case data((Data?, URLResponse?, (any Error)?) -> Void)
    case file((URL?, URLResponse?, (any Error)?) -> Void)
    case bytes(BytesBuffer)
}

/// The body of a request, as it was given to a task.
enum UploadSource: @unchecked Sendable {
    case none
    case data(Data)
    case file(URL)
    /// The request's own stream first; the delegate is asked for others.
    case stream(InputStream?)

    /// As Apple takes it from a request of a data task.
    init(of request: URLRequest?) {
        if let data = request?.httpBody {
            self = .data(data)
        } else if let stream = request?.httpBodyStream {
            self = .stream(stream)
        } else {
            self = .none
        }
    }

    var isStream: Bool { if case .stream = self { true } else { false } }

    /// Nil if it is not known, or if there is none.
    var length: Int64? {
        switch self {
        case .none, .stream: nil
        case .data(let data): Int64(data.count)
        case .file(let url):
            ((try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? NSNumber)?.int64Value
        }
    }
}
