import SwiftSyntax
import SwiftSyntaxBuilder

extension APIMethod {
    /// Adds the errors that concern the method as a whole.
    func check(_ isCacheable: Bool, _ problems: Problems) {
        let names = function.signature.parameterClause.parameters.map(\.name.plainText)
        for attribute in function.attributes(Self.roles) {
            guard let node = attribute.parameter, !names.contains(node.literal ?? "") else { continue }
            problems.add("The method has no parameter of this name.", at: node)
        }
        for name in path.names where !names.contains(name) {
            problems.add("The method has no parameter '\(name)' for '{\(name)}'.", at: verb[nil] ?? ExprSyntax(""))
        }
        if let modifier = function.modifiers.first(where: { ["static", "mutating"].contains($0.name.text) }) {
            problems.add("A method of an @API protocol cannot be \(modifier.name.text).", at: modifier)
        }
        if result.isImmediate { checkImmediate(problems) } else { checkEffects(problems) }
        checkResult(problems)
        checkBody(problems)
        checkNames(problems)
        for setting in settings { check(setting, isCacheable, problems) }
    }

    private func checkImmediate(_ problems: Problems) {
        guard let effects = function.signature.effectSpecifiers else { return }
        problems.add(
            "The method returns at once. Its result waits and throws.", at: effects,
            fix: "Remove '\(effects.trimmed)'",
            [replace(function.signature, by: function.signature.with(\.effectSpecifiers, nil))])
    }

    private func checkEffects(_ problems: Problems) {
        let effects = function.signature.effectSpecifiers
        var wanted = effects ?? FunctionEffectSpecifiersSyntax()
        wanted.asyncSpecifier = wanted.asyncSpecifier ?? .keyword(.async, trailingTrivia: .space)
        if case .outcome = result {
        } else {
            wanted.throwsClause =
                wanted.throwsClause ?? ThrowsClauseSyntax(throwsSpecifier: .keyword(.throws, trailingTrivia: .space))
        }
        let text = wanted.trimmedDescription
        if text != effects?.trimmedDescription ?? "" {
            var fixed = function.signature
            fixed.effectSpecifiers = wanted
            if fixed.parameterClause.trailingTrivia.isEmpty { fixed.parameterClause.trailingTrivia = .space }
            if fixed.returnClause == nil { fixed.trailingTrivia = function.signature.trailingTrivia }
            problems.add(
                "The method sends a request, so it is '\(text)'.", at: function.name, fix: "Insert '\(text)'",
                [replace(function.signature, by: fixed)])
        }
        guard let type = effects?.throwsClause?.type, type.lastName != "NetworkFailure",
            type.trimmedDescription != "any Error"
        else { return }
        problems.add(
            "The client throws NetworkFailure.", at: type, fix: "Replace '\(type)' with 'NetworkFailure'",
            [replace(type, by: TypeSyntax("NetworkFailure"))])
    }

    private func checkResult(_ problems: Problems) {
        guard let type = function.signature.returnClause?.type, let decoded = result.decoded else { return }
        if decoded.isUnsupported || decoded.is(SomeOrAnyTypeSyntax.self) {
            problems.add("A value of this type cannot be decoded. Return a Decodable type.", at: type)
        } else if verb.name == "HEAD" {
            problems.add("The response to HEAD has no body. Return nothing, or a TransportResponse.", at: type)
        }
    }

    private func checkBody(_ problems: Problems) {
        let bodies = parameters.filter { $0.role == .body }
        let parts = parameters.filter { $0.role == .part }
        if let content = (bodies + parts).first, ["GET", "HEAD"].contains(verb.name) {
            problems.add(
                "A \(verb.name) request has no body.", at: content.syntax, fix: "Replace '@\(verb.name)' with '@POST'",
                [replace(verb.attributeName, by: TypeSyntax("POST"))])
        }
        if bodies.count > 1 { problems.add("The method has two bodies. Send one value.", at: bodies[1].syntax) }
        if isMultipart, let body = bodies.first {
            problems.add("A form has parts and no Body. Make the parameter a Part.", at: body.syntax)
        }
        if isMultipart, parts.isEmpty { problems.add("The form has no Part.", at: function.name) }
        if !isMultipart, let part = parts.first {
            let fixed = TypeSyntax("Multipart @\(verb.attributeName)")
            problems.add(
                "A Part needs @Multipart.", at: part.syntax, fix: "Insert '@Multipart'",
                [replace(verb.attributeName, by: fixed)])
        }
        if case .upload = result, bodies.isEmpty, !isMultipart {
            problems.add("An Upload needs a Body, or @Multipart and parts.", at: function.name)
        }
    }

    private func checkNames(_ problems: Problems) {
        var seen: Set<String> = []
        for parameter in parameters where [.query, .header].contains(parameter.role) {
            let name = parameter.wireName(nil)
            let key = parameter.role == .header ? name.lowercased() : "?\(name)"
            if !seen.insert(key).inserted {
                problems.add("Another parameter has the name \(name).", at: parameter.syntax)
            }
        }
        for attribute in function.attributes(["Header"]) { checkField(attribute[nil], problems) }
    }

    private func checkField(_ name: ExprSyntax?, _ problems: Problems) {
        guard let name, name.literal?.isFieldName == false else { return }
        problems.add("This is not the name of a header field (RFC 9110, section 5.1).", at: name)
    }

    private func check(_ setting: AttributeSyntax, _ isCacheable: Bool, _ problems: Problems) {
        switch (setting.name, setting[nil]?.as(BooleanLiteralExprSyntax.self)?.literal.text) {
        case ("Cached", _) where !isCacheable:
            problems.add("Only a whole response to GET or HEAD is cached.", at: setting)
        case ("Authenticated", nil): problems.add("Write true or false.", at: setting)
        case ("Authenticated", "false") where result.isTransfer:
            problems.add("A transfer has the client's credentials. Use a client without them.", at: function.name)
        case ("Headers", _):
            let fields = setting[nil]?.as(DictionaryExprSyntax.self)?.content.as(DictionaryElementListSyntax.self)
            for field in fields ?? [] { checkField(field.key, problems) }
        default: break
        }
    }
}
