extension FreeTextCorpus {
    /// Fields of messages, as logs, dictionaries and command lines write them.
    static let fieldMakers: [(kind: String, make: Maker)] = [
        hiding("scheme in a dictionary") { corpus, secret in
            let scheme = corpus.pick(["Token", "Bearer", "Digest", "Own-Scheme", "token"])
            return #"headers: ["Accept": "*/*", "Authorization": "\#(scheme) \#(secret)", "Host": "a.example"]"#
        },
        hiding("scheme in JSON within JSON") { _, secret in
            #"{"log":"{\"authorization\":\"Token \#(secret)\",\"a\":1}"}"#
        },
        hiding("scheme in a list") { _, secret in #"{"authorization": ["Token \#(secret)"], "accept": ["*/*"]}"# },
        hiding("scheme in a property list") { _, secret in
            "{\n    Accept = \"*/*\";\n    Authorization = \"Token \(secret)\";\n}"
        },
        hiding("scheme as name=value") { corpus, secret in
            "level=info authorization=\(corpus.pick(["Token", "Bearer"])) \(secret)"
        },
        hiding("signature of Amazon", { $0.random(hex, 64) }) { _, secret in
            "Authorization: AWS4-HMAC-SHA256 Credential=AKID/20261122/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=\(secret)"
        },
        hiding("scheme, more white space") { corpus, secret in
            "got \(corpus.pick(["Bearer", "bearer", "Basic", "Token"]))\(corpus.pick(["  ", "\t", " \t "]))\(secret) here"
        },
        hiding("scheme on the next line") { corpus, secret in
            "Authorization:\n    \(corpus.pick(["Token", "Digest", "Bearer"])) \(secret)\nAccept: */*"
        },
        hidingAll("cookies in a dictionary", { [$0.random(word, 12), $0.random(word, 20)] }) { _, secrets in
            #"["Accept": "*/*", "Cookie": "a=\#(secrets[0]); theme=\#(secrets[1])"]"#
        },
        hidingAll("received cookies", { [$0.token(), $0.token()] }) { _, secrets in
            "Set-Cookie: a=\(secrets[0]); Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=\(secrets[1]); Path=/\r\nServer: a"
        },
        hidingAll("received cookies, a line each", { [$0.token(), $0.token()] }) { _, secrets in
            "set-cookie: a=\(secrets[0])\nset-cookie: b=\(secrets[1]); Secure\n"
        },
        hidingAll("cookies in JSON within JSON", { [$0.random(word, 12), $0.random(word, 20)] }) { _, secrets in
            #"{"h":"{\"Cookie\": \"a=\#(secrets[0]); b=\#(secrets[1])\"}"}"#
        },
        hiding("session of PHP", { $0.random(letters + digits, 26) }) { corpus, secret in
            "\(corpus.pick(["PHPSESSID", "JSESSIONID", "ASPSESSIONIDAB", "sessionid", "laravel_session"]))=\(secret); path=/"
        },
    ]

    /// Values in other forms.
    static let formMakers: [(kind: String, make: Maker)] = [
        hiding("connection string", { $0.random(base64, 86) + "==" }) { corpus, secret in
            let name = corpus.pick(["AccountKey", "SharedAccessKey", "accountkey"])
            return "DefaultEndpointsProtocol=https;AccountName=a;\(name)=\(secret);EndpointSuffix=core.windows.net"
        },
        hiding("password in a connection string", { $0.random(word, 14) }) { _, secret in
            "Server=db;Database=a;User Id=jane;Password=\(secret);Encrypt=true"
        },
        hiding("code of a second factor", { $0.random(digits, 6) }) { corpus, secret in
            let name = corpus.pick(["mfa_code", "mfaCode", "otp", "sms_code", "verification_code", "two_factor_code"])
            return corpus.pick([
                #"{"\#(name)":"\#(secret)"}"#, #"{"\#(name)":\#(secret)}"#, "\(name)=\(secret)&x=1",
                "\(name):\t\(secret)",
            ])
        },
        hiding("magic link", { $0.random(word, 32) }) { corpus, secret in
            corpus.pick([
                "magic_link=https://a.example/l/\(secret)", #"{"magic_link":"https://a.example/l/\#(secret)"}"#,
                "magicLink: https://a.example/l?x=\(secret)&y=1", "reset_link: https://a.example/\(secret)",
            ])
        },
        hiding("value in code") { corpus, secret in
            corpus.pick([
                "Session(refreshToken: Optional(\"\(secret)\"), user: \"jane\")", "password: Optional(\"\(secret)\")",
                "apiKey: Secret(value: \"\(secret)\")", "password=b'\(secret)'", "token = @\"\(secret)\";",
                "\"token\" => \"\(secret)\",", "[api_key] => \(secret)", "assert token == '\(secret)'",
                "password := \(secret)",
            ])
        },
        hiding("value in a structure") { corpus, secret in
            corpus.pick([
                "tokens: [\"\(secret)\"]", "tokens: [abc, \(secret)]", "secret: {\"value\": \"\(secret)\"} x",
                "api_key: (\(secret))", "token=<\(secret)>", "user[password]=\(secret)&x=1",
                #"{\u0022token\u0022:\u0022\#(secret)\u0022,\u0022a\u0022:1}"#,
                #"{\"credentials\":{\"id\":\"\#(secret)\"},\"a\":1}"#,
            ])
        },
        hidingAll("escaped quotes in a phrase", { $0.phrase() }) { _, words in
            #"{\"user\":\"jane\",\"password\":\"\#(words.joined(separator: #" \\\" "#))\",\"x\":1}"#
        },
        hidingAll("phrase with punctuation", { $0.phrase() }) { corpus, words in
            "\(corpus.pick(["password", "Passphrase", "db_password", "PWD"])): \(words.joined(separator: corpus.pick([", ", "; ", " & ", ". ", " = ", " / "])))"
        },
        hidingAll("phrase on the next line", { $0.phrase() }) { _, words in
            "password:\n\t\(words.joined(separator: " "))\nuser: jane"
        },
        hiding("key of a service, in punctuation", { $0.serviceKey() }) { corpus, secret in
            corpus.pick([
                "(\(secret))", "k=\(secret)", "/hooks/\(secret)/x", "\"\(secret)\"", "[\(secret)]", "\(secret)",
                "id:\(secret),",
            ])
        },
        hiding(
            "user information, odd passwords",
            { $0.random(word, 5) + $0.pick([":", "/", "!", "@", "#", "$", "%40", "?"]) + $0.random(word, 6) }
        ) { corpus, secret in
            "connect \(corpus.pick(["jane", "svc.user", "a_b-c"])):\(secret)@\(corpus.pick(["db.example", "10.0.0.7:5432", "localhost/x"]))"
        },
        hiding("element") { corpus, secret in
            "<a><\(corpus.pick(["password", "apiKey", "accessToken", "ns:Secret"]))>\(secret)</x></a>"
        },
        hiding("environment", { $0.random(base64, 40) }) { corpus, secret in
            "export \(corpus.pick(["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "STRIPE_API_KEY", "JWT_SECRET"]))='\(secret)' && make"
        },
    ]
}
