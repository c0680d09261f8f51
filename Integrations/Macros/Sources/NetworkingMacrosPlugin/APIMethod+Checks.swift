import SwiftSyntax
import SwiftSyntaxBuilder

extension APIMethod {
    /// Adds the errors that concern the method as a whole.
    func check(_ verb: AttributeSyntax, _ proto: ProtocolDeclSyntax, _ problems: Problems) {
        let names = function.signature.parameterClause.parameters.map { ($0.secondName ?? $0.firstName).plainText }
        for attribute in function.attributes(Self.roles) {
            let label = attribute.name == "Body" ? nil : "for"
            guard let node = attribute[label], !names.contains(attribute.literal(label) ?? "") else { continue }
            problems.add("The method has no parameter of this name.", at: node)
        }
        for name in path.names where !names.contains(name) {
            problems.add(
                "The method has no parameter '\(name)' for '{\(name)}' in the path.", at: verb[nil] ?? ExprSyntax(""))
        }
        checkEffects(problems)
        checkResult(problems)
        checkBody(verb, problems)
        checkNames(problems)
        checkSettings(problems)
    }

    private func checkEffects(_ problems: Problems) {
        let effects = function.signature.effectSpecifiers
        var fixed = function
        let needsAsync: Bool
        switch result {
        case .events, .download, .upload:
            guard let effects else { return }
            fixed.signature.effectSpecifiers = nil
            return problems.add(
                "The method returns at once. Its result has the waiting and the errors.", at: effects,
                fix: "Remove '\(effects.trimmed)'", [replace(function, by: fixed)])
        case .outcome: needsAsync = effects?.asyncSpecifier == nil
        default: needsAsync = effects?.asyncSpecifier == nil || effects?.throwsClause == nil
        }
        if needsAsync {
            var wanted = effects ?? FunctionEffectSpecifiersSyntax()
            wanted.asyncSpecifier = .keyword(.async, leadingTrivia: .space)
            if case .outcome = result {
            } else {
                wanted.throwsClause = wanted.throwsClause ?? ThrowsClauseSyntax(throwsSpecifier: .keyword(.throws))
                wanted.throwsClause?.leadingTrivia = .space
            }
            if function.signature.returnClause != nil, effects == nil { wanted.trailingTrivia = .space }
            if effects == nil { fixed.signature.parameterClause.trailingTrivia = [] }
            fixed.signature.effectSpecifiers = wanted
            problems.add(
                "The method sends a request, so it is '\(wanted.trimmed)'.", at: function.name,
                fix: "Insert '\(wanted.trimmed)'", [replace(function, by: fixed)])
        }
        if let type = effects?.throwsClause?.type, type.lastName != "NetworkFailure",
            type.trimmedDescription != "any Error"
        {
            problems.add(
                "The client throws NetworkFailure.", at: type, fix: "Replace '\(type)' with 'NetworkFailure'",
                [replace(type, by: TypeSyntax("NetworkFailure"))])
        }
    }

    private func checkResult(_ problems: Problems) {
        guard let type = function.signature.returnClause?.type, let decoded = result.decoded else { return }
        if decoded.isUnsupported || decoded.is(SomeOrAnyTypeSyntax.self) {
            problems.add("A result of this type cannot be decoded. Name a Decodable type.", at: type)
        } else if verb == "HEAD" {
            problems.add("The response to HEAD has no body. Return nothing, or a TransportResponse.", at: type)
        }
    }

    private func checkBody(_ verb: AttributeSyntax, _ problems: Problems) {
        let bodies = parameters.filter { $0.role == .body }
        let parts = parameters.filter { $0.role == .part }
        if let content = (bodies + parts).first, ["GET", "HEAD"].contains(self.verb) {
            var post = verb
            post.attributeName = "POST"
            problems.add(
                "A \(self.verb) request has no body.", at: content.syntax, fix: "Replace '@\(self.verb)' with '@POST'",
                [replace(verb, by: post)])
        }
        if bodies.count > 1 {
            problems.add("The method has two bodies. Send one value that has both.", at: bodies[1].syntax)
        }
        if isMultipart, let body = bodies.first {
            problems.add("A form has parts and no Body. Make the parameter a Part.", at: body.syntax)
        }
        if isMultipart, bodies.isEmpty, parts.isEmpty {
            problems.add("The form has no part. Make a parameter a Part.", at: function.name)
        }
        if !isMultipart, let part = parts.first {
            var fixed = verb
            fixed.attributeName = "Multipart \(raw: verb.trimmed)"
            (fixed.leftParen, fixed.arguments, fixed.rightParen) = (nil, nil, nil)
            problems.add(
                "A Part needs @Multipart.", at: part.syntax, fix: "Insert '@Multipart'", [replace(verb, by: fixed)])
        }
        if case .upload = result, bodies.isEmpty, parts.isEmpty {
            problems.add("An Upload needs a Body, or parts.", at: function.name)
        }
    }

    private func checkNames(_ problems: Problems) {
        var seen: Set<String> = []
        for parameter in parameters where parameter.role == .query || parameter.role == .header {
            let name = parameter.wireName(nil)
            if !seen.insert("\(parameter.role) \(parameter.role == .header ? name.lowercased() : name)").inserted {
                problems.add("Another parameter has the name \(name).", at: parameter.syntax)
            }
        }
        for attribute in function.attributes(["Header"]) {
            guard let name = attribute.literal(), !name.isFieldName, let node = attribute[nil] else { continue }
            problems.add("This is not the name of a header field (RFC 9110, section 5.1).", at: node)
        }
    }

    private func checkSettings(_ problems: Problems) {
        for setting in settings {
            switch setting.name {
            case "Cached" where !["GET", "HEAD"].contains(verb):
                problems.add("Only responses to GET and HEAD are cached.", at: setting)
            case "Cached" where result.isTransfer, "Cached" where isEvents:
                if function.attributes(["Cached"]).contains(setting) {
                    problems.add("A stream or a transfer is not cached.", at: setting)
                }
            case "Authenticated":
                guard let value = setting[nil]?.as(BooleanLiteralExprSyntax.self) else {
                    problems.add("Write true or false.", at: setting)
                    continue
                }
                if result.isTransfer, value.literal.text == "false" {
                    problems.add(
                        "A transfer has the client's credentials. Use a client without credentials.", at: function.name)
                }
            case "Headers":
                guard
                    let fields = setting[nil]?.as(DictionaryExprSyntax.self)?.content.as(
                        DictionaryElementListSyntax.self)
                else { continue }
                for field in fields {
                    guard let name = field.key.literal, !name.isFieldName else { continue }
                    problems.add("This is not the name of a header field (RFC 9110, section 5.1).", at: field.key)
                }
            default: break
            }
        }
    }

    var isEvents: Bool {
        if case .events = result { true } else { false }
    }
}
