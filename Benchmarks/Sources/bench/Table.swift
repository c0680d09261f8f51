import Foundation

/// Rows with a header, printed in columns or as Markdown.
struct Table {
    var title: String
    var header: [String]
    var rows: [[String]] = []

    init(title: String, header: [String]) {
        self.title = title
        self.header = header
    }

    var text: String {
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        return ([header] + rows).map { row in
            zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
                .joined(separator: "  ")
        }.joined(separator: "\n")
    }

    var markdown: String {
        let rule = header.map { _ in "---" }
        return ([header, rule] + rows).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }
}

/// Numbers as a reader wants them: three digits that mean something.
enum Format {
    /// 66.1k.
    static func count(_ value: Double) -> String {
        value < 1000 ? number(value) : number(value / 1000) + "k"
    }

    static func number(_ value: Double) -> String {
        String(format: value < 100 ? "%.1f" : "%.0f", value)
    }

    static func ratio(_ value: Double) -> String {
        String(format: "%.2f", value)
    }

    static func megabytes(_ bytes: Int) -> String {
        String(format: "%.0f", Double(bytes) / 1e6)
    }
}
