extension FreeTextCorpus {
    /// Fields of messages, as logs, dictionaries and command lines write them.
    static let fieldMakers: [(kind: String, make: Maker)] = [
        (
            "scheme in a dictionary",
            { corpus in
                let secret = corpus.token()
                let scheme = corpus.pick(["Token", "Bearer", "Digest", "Own-Scheme", "token"])
                return (
                    #"headers: ["Accept": "*/*", "Authorization": "\#(scheme) \#(secret)", "Host": "a.example"]"#,
                    [secret]
                )
            }
        ),
        (
            "scheme in JSON within JSON",
            { corpus in
                let secret = corpus.token()
                return (#"{"log":"{\"authorization\":\"Token \#(secret)\",\"a\":1}"}"#, [secret])
            }
        ),
        (
            "scheme in a list",
            { corpus in
                let secret = corpus.token()
                return (#"{"authorization": ["Token \#(secret)"], "accept": ["*/*"]}"#, [secret])
            }
        ),
        (
            "scheme in a property list",
            { corpus in
                let secret = corpus.token()
                return ("{\n    Accept = \"*/*\";\n    Authorization = \"Token \(secret)\";\n}", [secret])
            }
        ),
        (
            "scheme as name=value",
            { corpus in
                let secret = corpus.token()
                return ("level=info authorization=\(corpus.pick(["Token", "Bearer"])) \(secret)", [secret])
            }
        ),
        (
            "signature of Amazon",
            { corpus in
                let secrets = [corpus.random(hex, 64)]
                return (
                    "Authorization: AWS4-HMAC-SHA256 Credential=AKID/20261122/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=\(secrets[0])",
                    secrets
                )
            }
        ),
        (
            "scheme, more white space",
            { corpus in
                let secret = corpus.token()
                return (
                    "got \(corpus.pick(["Bearer", "bearer", "Basic", "Token"]))\(corpus.pick(["  ", "\t", " \t "]))\(secret) here",
                    [secret]
                )
            }
        ),
        (
            "scheme on the next line",
            { corpus in
                let secret = corpus.token()
                return (
                    "Authorization:\n    \(corpus.pick(["Token", "Digest", "Bearer"])) \(secret)\nAccept: */*", [secret]
                )
            }
        ),
        (
            "cookies in a dictionary",
            { corpus in
                let secrets = [corpus.random(word, 12), corpus.random(word, 20)]
                return (#"["Accept": "*/*", "Cookie": "a=\#(secrets[0]); theme=\#(secrets[1])"]"#, secrets)
            }
        ),
        (
            "received cookies",
            { corpus in
                let secrets = [corpus.token(), corpus.token()]
                return (
                    "Set-Cookie: a=\(secrets[0]); Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=\(secrets[1]); Path=/\r\nServer: a",
                    secrets
                )
            }
        ),
        (
            "received cookies, a line each",
            { corpus in
                let secrets = [corpus.token(), corpus.token()]
                return ("set-cookie: a=\(secrets[0])\nset-cookie: b=\(secrets[1]); Secure\n", secrets)
            }
        ),
        (
            "cookies in JSON within JSON",
            { corpus in
                let secrets = [corpus.random(word, 12), corpus.random(word, 20)]
                return (#"{"h":"{\"Cookie\": \"a=\#(secrets[0]); b=\#(secrets[1])\"}"}"#, secrets)
            }
        ),
        (
            "session of PHP",
            { corpus in
                let secret = corpus.random(letters + digits, 26)
                return (
                    "\(corpus.pick(["PHPSESSID", "JSESSIONID", "ASPSESSIONIDAB", "sessionid", "laravel_session"]))=\(secret); path=/",
                    [secret]
                )
            }
        ),
    ]

    /// Values in other forms.
    static let formMakers: [(kind: String, make: Maker)] = [
        (
            "connection string",
            { corpus in
                let secret = corpus.random(base64, 86) + "=="
                let name = corpus.pick(["AccountKey", "SharedAccessKey", "accountkey"])
                return (
                    "DefaultEndpointsProtocol=https;AccountName=a;\(name)=\(secret);EndpointSuffix=core.windows.net",
                    [secret]
                )
            }
        ),
        (
            "password in a connection string",
            { corpus in
                let secret = corpus.random(word, 14)
                return ("Server=db;Database=a;User Id=jane;Password=\(secret);Encrypt=true", [secret])
            }
        ),
        (
            "code of a second factor",
            { corpus in
                let secret = corpus.random(digits, 6)
                let name = corpus.pick([
                    "mfa_code", "mfaCode", "otp", "sms_code", "verification_code", "two_factor_code",
                ])
                return (
                    corpus.pick([
                        #"{"\#(name)":"\#(secret)"}"#, #"{"\#(name)":\#(secret)}"#, "\(name)=\(secret)&x=1",
                        "\(name):\t\(secret)",
                    ]), [secret]
                )
            }
        ),
        (
            "magic link",
            { corpus in
                let secret = corpus.random(word, 32)
                return (
                    corpus.pick([
                        "magic_link=https://a.example/l/\(secret)", #"{"magic_link":"https://a.example/l/\#(secret)"}"#,
                        "magicLink: https://a.example/l?x=\(secret)&y=1", "reset_link: https://a.example/\(secret)",
                    ]), [secret]
                )
            }
        ),
        (
            "value in code",
            { corpus in
                let secret = corpus.token()
                return (
                    corpus.pick([
                        "Session(refreshToken: Optional(\"\(secret)\"), user: \"jane\")",
                        "password: Optional(\"\(secret)\")",
                        "apiKey: Secret(value: \"\(secret)\")", "password=b'\(secret)'", "token = @\"\(secret)\";",
                        "\"token\" => \"\(secret)\",", "[api_key] => \(secret)", "assert token == '\(secret)'",
                        "password := \(secret)",
                    ]), [secret]
                )
            }
        ),
        (
            "value in a structure",
            { corpus in
                let secret = corpus.token()
                return (
                    corpus.pick([
                        "tokens: [\"\(secret)\"]", "tokens: [abc, \(secret)]", "secret: {\"value\": \"\(secret)\"} x",
                        "api_key: (\(secret))",
                        "token=<\(secret)>", "user[password]=\(secret)&x=1",
                        #"{\u0022token\u0022:\u0022\#(secret)\u0022,\u0022a\u0022:1}"#,
                        #"{\"credentials\":{\"id\":\"\#(secret)\"},\"a\":1}"#,
                    ]), [secret]
                )
            }
        ),
        (
            "escaped quotes in a phrase",
            { corpus in
                let words = corpus.phrase()
                return (#"{\"user\":\"jane\",\"password\":\"\#(words.joined(separator: #" \\\" "#))\",\"x\":1}"#, words)
            }
        ),
        (
            "phrase with punctuation",
            { corpus in
                let words = corpus.phrase()
                return (
                    "\(corpus.pick(["password", "Passphrase", "db_password", "PWD"])): \(words.joined(separator: corpus.pick([", ", "; ", " & ", ". ", " = ", " / "])))",
                    words
                )
            }
        ),
        (
            "phrase on the next line",
            { corpus in
                let words = corpus.phrase()
                return ("password:\n\t\(words.joined(separator: " "))\nuser: jane", words)
            }
        ),
        (
            "key of a service, in punctuation",
            { corpus in
                let secret = corpus.pick(prefixes) + corpus.random(word, 8) + "7" + corpus.random(word, 22)
                return (
                    corpus.pick([
                        "(\(secret))", "k=\(secret)", "/hooks/\(secret)/x", "\"\(secret)\"", "[\(secret)]", "\(secret)",
                        "id:\(secret),",
                    ]), [secret]
                )
            }
        ),
        (
            "user information, odd passwords",
            { corpus in
                let secret =
                    corpus.random(word, 5) + corpus.pick([":", "/", "!", "@", "#", "$", "%40", "?"])
                    + corpus.random(word, 6)
                return (
                    "connect \(corpus.pick(["jane", "svc.user", "a_b-c"])):\(secret)@\(corpus.pick(["db.example", "10.0.0.7:5432", "localhost/x"]))",
                    [secret]
                )
            }
        ),
        (
            "element",
            { corpus in
                let secret = corpus.token()
                return (
                    "<a><\(corpus.pick(["password", "apiKey", "accessToken", "ns:Secret"]))>\(secret)</x></a>", [secret]
                )
            }
        ),
        (
            "environment",
            { corpus in
                let secret = corpus.random(base64, 40)
                return (
                    "export \(corpus.pick(["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "STRIPE_API_KEY", "JWT_SECRET"]))='\(secret)' && make",
                    [secret]
                )
            }
        ),
    ]
}
