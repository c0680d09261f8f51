import Foundation
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import NetworkingMacrosPlugin

/// Expands the attributes of this package, and records each difference as an issue.
func expectExpansion(
    _ source: String, _ expanded: String, diagnostics: [DiagnosticSpec] = [], fixed: String? = nil,
    location: Testing.SourceLocation = #_sourceLocation
) {
    var macros = ["API": MacroSpec(type: APIMacro.self)]
    for name in APIMethod.markers { macros[name] = MacroSpec(type: Marker.self) }
    assertMacroExpansion(
        source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: macros, fixedSource: fixed,
        failureHandler: { failure in Issue.record("\(failure.message)", sourceLocation: location) })
}

/// Expands a protocol with these lines, and expects errors instead of a client.
///
/// - Parameters:
///   - errors: message, line, column and fix-its. Line 1 is the first one of `lines`, and column 1 its first character.
///   - fixed: the lines after all fix-its.
func expectErrors(
    _ lines: String, _ errors: [(message: String, line: Int, column: Int, fix: String?)], fixed: String? = nil,
    requirements: String, location: Testing.SourceLocation = #_sourceLocation
) {
    func wrapped(_ lines: String, _ head: String = "@API\n") -> String {
        "\(head)protocol P {\n" + lines.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n") + "\n}"
    }
    let diagnostics = errors.map { error in
        DiagnosticSpec(
            message: error.message, line: error.line + 2, column: error.column + 4,
            fixIts: error.fix.map { [FixItSpec(message: $0)] } ?? [])
    }
    expectExpansion(
        wrapped(lines), wrapped(requirements, ""), diagnostics: diagnostics, fixed: fixed.map { wrapped($0) },
        location: location)
}

/// Returns the storage and the body of each method of the mock of a protocol with these lines.
func mockMembers(_ lines: String) -> [String] {
    let file = Parser.parse(source: "@API\nprotocol P {\n\(lines)\n}")
    let context = BasicMacroExpansionContext(sourceFiles: [file: .init(moduleName: "M", fullFilePath: "M.swift")])
    let expanded = file.expand(
        macros: ["API": APIMacro.self],
        contextGenerator: {
            BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
        })
    let mock = expanded.description.components(separatedBy: "final class PMock").last ?? ""
    return mock.split(separator: "\n").compactMap { line in
        if let storage = line.range(of: "APIMockMethod<") { return String(line[storage.lowerBound...]) }
        let line = line.drop { $0 == " " }
        let isBody =
            line.hasPrefix("try ")
            || [".events(", ".transfer(", ".response("].contains { line.contains("Method\($0)") }
        return isBody ? String(line) : nil
    }
}
