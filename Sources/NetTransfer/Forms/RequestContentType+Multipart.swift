public import NetCore

extension RequestContentType {
    /// A form with files (seed 001): the body is made of the fields, and the request has no other.
    ///
    /// ```swift
    /// let request = Request<User>(
    ///     method: .post, path: "/upload", contentType: .multipartData([.text(name: "username", value: "john_doe")]))
    /// ```
    public static func multipartData(_ fields: [MultipartDataField]) -> RequestContentType {
        multipart(MultipartFormData(fields))
    }

    /// A form with files, as it is when the request is sent.
    public static func multipart(_ formData: MultipartFormData) -> RequestContentType {
        RequestContentType { value, _ in
            guard value == nil else {
                throw RequestBuildingError("A multipart request takes its body from its fields. Leave its body out.")
            }
            let encoder = formData.encoder
            return EncodedBody(try encoder.makeBody(), contentType: encoder.contentType)
        }
    }
}
