/// The conventions by which a server reads queries and forms: lists, nested names, dates and so on.
///
/// It applies to `queryParameters`, `query` and `queryObject`, and to ``RequestContentType/formURLEncoded`` bodies. Set it for a client
/// (`NetworkClient.Configuration.queryEncoding`) or for a request (``RequestOptions/queryEncoding``).
///
/// ```swift
/// var encoding = QueryEncoding.default
/// encoding.arrays = .brackets          // tag[]=a&tag[]=b
/// encoding.dates = .secondsSince1970
/// ```
///
/// Items that have their text already (`queryItems`) keep their names and values. Only ``spaces`` and ``encodesSlashes`` apply to them.
public struct QueryEncoding: Hashable, Sendable {
    /// The names of a list's elements. The default is the name itself for each: `tag=a&tag=b`.
    public var arrays = Arrays.repeated
    /// The names of a nested object's members. The default is brackets: `filter[age]=9`.
    public var nesting = Nesting.brackets
    /// The default is `true` and `false`.
    public var booleans = Booleans.literal
    /// The text of a `Double` or `Float` that is a whole number. The default is `1`.
    public var wholeNumbers = WholeNumbers.integer
    /// The default is ISO 8601: `2026-01-31T12:00:00Z`.
    public var dates = Dates.iso8601
    /// The text of `Data`. The default is base64.
    public var data = DataFormat.base64
    /// The case of names, those of dictionaries included. Each name of a nested path is changed by itself. The default leaves them unchanged.
    public var keys = KeyCase.unchanged
    /// The default leaves nil out.
    public var nilValues = NilValues.omitted
    /// The default is `%20`.
    public var spaces = Spaces.percentEncoded
    /// The order of the items. The default sorts names, and keeps the order of lists.
    public var sorting = Sorting.names
    /// Whether `/` and `?` are percent-encoded. A query may contain both (RFC 3986, section 3.4). True by default.
    public var encodesSlashes = true

    /// Creates the default conventions.
    public init() {}

    /// `tag=a&tag=b`, `filter[age]=9` with the brackets percent-encoded, `true`, ISO 8601, base64, `%20`; nil is left out.
    public static let `default` = QueryEncoding()

    /// The defaults of Alamofire's `URLEncodedFormEncoder`: `tag[]=a&tag[]=b`, `1` and `0`, `1.0`, dates as seconds since 2001, `/` and `?`
    /// unchanged, and lists in the order of their text.
    public static let alamofire: QueryEncoding = {
        var encoding = QueryEncoding()
        encoding.arrays = .brackets
        encoding.booleans = .numeric
        encoding.wholeNumbers = .decimal
        encoding.dates = .secondsSinceReferenceDate
        encoding.sorting = .pairs
        encoding.encodesSlashes = false
        return encoding
    }()
}

extension QueryEncoding {
    /// The names of a list's elements.
    public enum Arrays: String, Codable, Sendable {
        /// `tag=a&tag=b`
        case repeated
        /// `tag[]=a&tag[]=b`
        case brackets
        /// `tag[0]=a&tag[1]=b`
        case indices
        /// `tag=a,b`. A comma in an element is percent-encoded, those between elements are not. A list of lists or objects fails with
        /// ``NetworkError/encodingError(_:)``.
        case commaSeparated
    }

    /// The names of a nested object's members.
    public enum Nesting: String, Codable, Sendable {
        /// `filter[age]=9`
        case brackets
        /// `filter.age=9`
        case dots
    }

    /// The text of a Boolean value.
    public enum Booleans: String, Codable, Sendable {
        /// `true` and `false`
        case literal
        /// `1` and `0`
        case numeric
    }

    /// The text of a floating-point number that is a whole number.
    public enum WholeNumbers: String, Codable, Sendable {
        /// `1`, as in JSON.
        case integer
        /// `1.0`, as Swift describes it.
        case decimal
    }

    /// The text of a date.
    public enum Dates: Hashable, Codable, Sendable {
        /// `2026-01-31T12:00:00Z`
        case iso8601
        /// Seconds since 1970, with their fraction.
        case secondsSince1970
        /// Milliseconds since 1970, with their fraction.
        case millisecondsSince1970
        /// Seconds since 1 January 2001: how `Date` encodes itself.
        case secondsSinceReferenceDate
        /// A format of `DateFormatter`, such as `yyyy-MM-dd`, in UTC and the locale `en_US_POSIX`.
        case formatted(String)
    }

    /// The text of `Data`.
    public enum DataFormat: String, Codable, Sendable {
        /// RFC 4648, section 4. `+`, `/` and `=` are percent-encoded.
        case base64
        /// RFC 4648, section 5, without padding.
        case base64URL
        /// Two lowercase digits for each byte.
        case hex
    }

    /// The case of names.
    public enum KeyCase: String, Codable, Sendable {
        case unchanged
        /// `oneTwoThree` becomes `one_two_three`, and `myURL` becomes `my_url`.
        case snakeCase
        /// `oneTwoThree` becomes `one-two-three`.
        case kebabCase
        /// `oneTwoThree` becomes `OneTwoThree`.
        case capitalized
        /// `oneTwoThree` becomes `ONETWOTHREE`.
        case uppercased
        /// `oneTwoThree` becomes `onetwothree`.
        case lowercased
    }

    /// What is sent for nil.
    public enum NilValues: String, Codable, Sendable {
        /// Nothing. In a list, the following elements move up.
        case omitted
        /// The name alone: `name`.
        case nameOnly
        /// `name=`
        case empty
        /// `name=null`
        case null
    }

    /// The encoding of a space.
    public enum Spaces: String, Codable, Sendable {
        /// `%20` (RFC 3986), which every server reads.
        case percentEncoded
        /// `+`, as HTML forms have it.
        case plus
    }

    /// The order of items. A dictionary has none of its own.
    public enum Sorting: String, Codable, Sendable {
        /// By name, on each level. Lists keep their order.
        case names
        /// By the encoded names and values, on each level. This changes the order of lists.
        case pairs
    }
}

extension QueryEncoding: Codable {
    /// Decodes conventions. Missing keys get their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func decode<Value: Decodable>(_ key: CodingKeys, _ value: inout Value) throws {
            value = try container.decodeIfPresent(Value.self, forKey: key) ?? value
        }
        try decode(.arrays, &arrays)
        try decode(.nesting, &nesting)
        try decode(.booleans, &booleans)
        try decode(.wholeNumbers, &wholeNumbers)
        try decode(.dates, &dates)
        try decode(.data, &data)
        try decode(.keys, &keys)
        try decode(.nilValues, &nilValues)
        try decode(.spaces, &spaces)
        try decode(.sorting, &sorting)
        try decode(.encodesSlashes, &encodesSlashes)
    }
}
