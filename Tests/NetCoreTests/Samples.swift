import NetCore
import Testing

let english = Locale(identifier: "en")

func url(_ text: String = "https://a.example/") throws -> URL { try #require(URL(string: text)) }

/// A plugin's error, with a secret in it.
struct PluginError: Error, LocalizedError, CustomStringConvertible {
    var secret = "s3cr3t"
    var description: String { "PluginError(\(secret))" }
    var errorDescription: String? { description }
}

/// An error of `JSONDecoder`, which quotes the value.
let sampleDecodingError = DecodingError.dataCorrupted(
    .init(codingPath: [], debugDescription: "Cannot initialize Role from invalid String value s3cr3t"))

let sampleEncodingError = EncodingError.invalidValue(
    "s3cr3t", .init(codingPath: [], debugDescription: "s3cr3t does not conform"))

/// Each case and its code. The codes are stable: this list may only grow.
let allErrors: [(error: NetworkError, code: String)] = [
    (.invalidURL, "invalid_url"), (.invalidRequest, "invalid_request"),
    (.requestFailed(statusCode: 500, data: Data("s3cr3t".utf8)), "request_failed"),
    (.decodingError(sampleDecodingError), "decoding_error"), (.noData, "no_data"),
    (.downloadFailed(PluginError()), "download_failed"), (.uploadFailed(PluginError()), "upload_failed"),
    (.noInternetConnection, "no_internet_connection"), (.timeout, "timeout"),
    (.networkUnavailable, "network_unavailable"), (.unknown(PluginError()), "unknown"), (.cancelled, "cancelled"),
    (.encodingError(sampleEncodingError), "encoding_error"),
    (.circuitOpen(host: "a.example", until: Date(timeIntervalSince1970: 0)), "circuit_open"),
    (.pinningFailed(host: "a.example"), "pinning_failed"), (.bodyNotReplayable, "body_not_replayable"),
    (.responseTooLarge(limit: 10), "response_too_large"), (.tooManyRedirects, "too_many_redirects"),
    (.unsupported("Use another."), "unsupported"),
]
