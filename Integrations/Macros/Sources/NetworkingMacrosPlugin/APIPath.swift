import SwiftSyntax
import SwiftSyntaxBuilder

/// The path of a method: `/users/{id}`.
struct APIPath {
    /// The components, as literals of generated code: `"users"`, `"\(id)"`.
    private(set) var components: [String] = []
    private(set) var names: [String] = []
    private(set) var endsInSlash = false

    /// - Parameter attribute: has the path as its first argument.
    init(_ attribute: AttributeSyntax, _ problems: Problems) {
        if let node = attribute[nil] { read(node, problems) }
    }

    private mutating func read(_ node: ExprSyntax, _ problems: Problems) {
        func refuse(_ message: String, _ fix: String? = nil, _ fixed: String = "") {
            problems.add(message, at: node, fix: fix, [replace(node, by: StringLiteralExprSyntax(content: fixed))])
        }
        guard var text = node.literal else { return refuse("The path is not a string literal without interpolation.") }
        if let end = text.firstIndex(where: { "?#".contains($0) }) {
            let fixed = String(text[..<end])
            refuse(
                "A path has no query and no fragment. Make its values Query parameters.", "Remove '\(text[end...])'",
                fixed)
            text = fixed
        }
        if !text.hasPrefix("/") {
            text = "/\(text)"
            refuse("A path begins with a slash.", "Insert '/'", text)
        }
        var segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        endsInSlash = segments.count > 1 && segments.last == ""
        if segments.last == "" { segments.removeLast() }
        for segment in segments {
            if ["", ".", ".."].contains(segment) {
                return refuse("A component of a path cannot be empty, '.' or '..'.")
            }
            guard let component = component(segment) else {
                return refuse("'\(segment)' has braces without a name of a parameter in them: write '{name}'.")
            }
            components.append(component)
        }
    }

    private mutating func component(_ segment: Substring) -> String? {
        var result = ""
        var rest = segment
        while let open = rest.firstIndex(where: { "{}".contains($0) }) {
            let after = rest[rest.index(after: open)...]
            guard rest[open] == "{", let close = after.firstIndex(of: "}") else { return nil }
            let name = String(after[..<close])
            guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
            names.append(name)
            result += "\(String(rest[..<open]).escaped)\\(`\(name)`)"
            rest = after[after.index(after: close)...]
        }
        return "\"\(result)\(String(rest).escaped)\""
    }
}
