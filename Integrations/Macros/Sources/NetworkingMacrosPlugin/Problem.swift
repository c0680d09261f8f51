import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

/// An error in an `@API` protocol, or the title of a fix-it.
struct Problem: DiagnosticMessage, FixItMessage {
    let message: String
    let severity = DiagnosticSeverity.error
    var diagnosticID: MessageID { MessageID(domain: "NetworkingMacros", id: message) }
    var fixItID: MessageID { diagnosticID }
}

/// Collects the errors of an expansion, each once.
final class Problems {
    private(set) var found: [Diagnostic] = []

    func add(_ message: String, at node: some SyntaxProtocol, fix: String? = nil, _ changes: [FixIt.Change] = []) {
        guard !found.contains(where: { $0.node.id == node.id && $0.message == message }) else { return }
        let fixIts = fix.map { [FixIt(message: Problem(message: $0), changes: changes)] } ?? []
        found.append(Diagnostic(node: node, message: Problem(message: message), fixIts: fixIts))
    }
}

func replace(_ old: some SyntaxProtocol, by new: some SyntaxProtocol) -> FixIt.Change {
    .replace(oldNode: Syntax(old), newNode: Syntax(new))
}

extension WithAttributesSyntax {
    /// The attributes with one of these names. Another module's attribute of the name is not distinguished.
    func attributes(_ names: Set<String>) -> [AttributeSyntax] {
        attributes.compactMap { $0.as(AttributeSyntax.self) }.filter { names.contains($0.name) }
    }

    /// The only attribute of that name.
    func attribute(_ name: String, _ problems: Problems) -> AttributeSyntax? {
        let all = attributes([name])
        if all.count > 1 { problems.add("@\(name) is repeated.", at: all[1]) }
        return all.first
    }
}

extension AttributeSyntax {
    var name: String { attributeName.lastName ?? "" }

    var labeled: [LabeledExprSyntax] {
        if case .argumentList(let list) = arguments { Array(list) } else { [] }
    }

    /// The argument with that label; the first without a label for nil.
    subscript(label: String?) -> ExprSyntax? { labeled.first { $0.label?.text == label }?.expression }

    /// The name of the parameter that it describes.
    var parameter: ExprSyntax? { self[name == "Body" ? nil : "for"] }
}

extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var literal: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}

extension FunctionParameterSyntax {
    var name: TokenSyntax { secondName ?? firstName }
}

extension TokenSyntax {
    /// Without backticks.
    var plainText: String { identifier?.name ?? text }
}

extension TypeSyntax {
    /// `C` of `A.B.C<D>`.
    var lastName: String? {
        self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
    }

    /// `D` of `A.B.C<D>`.
    var argument: TypeSyntax? {
        let arguments =
            (self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause)?.arguments
        guard arguments?.count == 1, case .type(let type) = arguments?.first?.argument else { return nil }
        return type
    }

    var isOptional: Bool { self.is(OptionalTypeSyntax.self) || lastName == "Optional" }

    /// Whether no value of the type can be sent or decoded: a closure, a tuple, a metatype, `inout`, `Any`.
    var isUnsupported: Bool {
        if let attributed = self.as(AttributedTypeSyntax.self) {
            return !attributed.specifiers.isEmpty || attributed.baseType.isUnsupported
        }
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.isUnsupported }
        return self.is(FunctionTypeSyntax.self) || self.is(TupleTypeSyntax.self) || self.is(MetatypeTypeSyntax.self)
            || ["Any", "AnyObject"].contains(lastName)
    }
}

extension String {
    /// As the content of a literal of generated code.
    var escaped: String { map { "\\\"".contains($0) ? "\\\($0)" : "\($0)" }.joined() }

    /// The words of a name in camel case: `page`, `Size`.
    private var words: [String] {
        var words = [""]
        for (index, character) in zip(indices, self) {
            let next = self[self.index(after: index)...].first
            let isStart = character.isUppercase && (words.last?.last?.isUppercase != true || next?.isLowercase == true)
            if isStart, words != [""] { words.append("") }
            words[words.count - 1].append(character)
        }
        return words
    }

    func cased(_ keys: String?) -> String {
        keys == "snakeCase" ? words.joined(separator: "_").lowercased() : self
    }

    /// `Idempotency-Key` for `idempotencyKey`.
    var fieldName: String { words.map(\.capitalizedFirst).joined(separator: "-") }

    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

    /// Whether it is a token (RFC 9110, section 5.6.2).
    var isFieldName: Bool {
        let letters = { (character: Character) in character.isASCII && (character.isLetter || character.isNumber) }
        return !isEmpty && allSatisfy { letters($0) || "!#$%&'*+-.^_`|~".contains($0) }
    }
}
