import NetCore
import Testing

let english = Locale(identifier: "en")

func url(_ text: String = "https://a.example/") throws -> URL { try #require(URL(string: text)) }
