extension HTTPHeaders {
    /// The fields of a dictionary, sorted by name as ``init(_:)-([String:String])`` does, or of other pairs, in their order.
    package init(fields: some Sequence<(key: String, value: String)>) {
        if let dictionary = fields as? [String: String] {
            self.init(dictionary)
        } else {
            self.init(fields.map { HTTPHeader(name: $0.key, value: $0.value) })
        }
    }
}
