public import HTTPTypes
public import NetCore

extension HTTPHeaders {
    /// Creates a list of the same fields, in their order and with duplicates.
    ///
    /// Values that are not UTF-8 are read as ISO-8859-1, as the SDK reads received fields. Several `Cookie` fields, as HTTP/2 permits them,
    /// become one, joined by `"; "` (RFC 9113, section 8.2.3).
    public init(_ fields: HTTPFields) {
        var list: [HTTPHeader] = []
        list.reserveCapacity(fields.count)
        var cookies: [String] = []
        var cookieIndex = 0
        for field in fields {
            let value = field.utf8Value ?? field.latin1Value
            if field.name == .cookie {
                if cookies.isEmpty { cookieIndex = list.count }
                cookies.append(value)
                guard cookies.count == 1 else { continue }
            }
            list.append(HTTPHeader(name: field.name.rawName, value: value))
        }
        if cookies.count > 1 {
            list[cookieIndex] = HTTPHeader(name: list[cookieIndex].name, value: cookies.joined(separator: "; "))
        }
        self.init(received: list)
    }
}

extension HTTPFields {
    /// Creates the same fields, in their order and with duplicates. Values become UTF-8.
    ///
    /// A field whose name is not a token (RFC 9110, section 5.6.2) is left out, since `HTTPField.Name` cannot hold it. Control characters
    /// in values become spaces.
    ///
    /// - Throws: ``HTTPTypesError/tooManyFields(count:)``, because `HTTPFields` traps for so many.
    public init(_ headers: HTTPHeaders) throws(HTTPTypesError) {
        guard headers.count < UInt16.max else { throw .tooManyFields(count: headers.count) }
        self.init()
        reserveCapacity(headers.count)
        for header in headers {
            guard let name = HTTPField.Name(header.name) else { continue }
            append(HTTPField(name: name, value: header.value))
        }
    }
}

extension HTTPField {
    /// The value as text; nil if its bytes are not UTF-8.
    var utf8Value: String? {
        let text = value
        return withUnsafeBytesOfValue { $0.elementsEqual(text.utf8) } ? text : nil
    }

    /// The value with each byte as one character.
    fileprivate var latin1Value: String {
        withUnsafeBytesOfValue { bytes in
            var text = ""
            text.unicodeScalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
            return text
        }
    }
}
