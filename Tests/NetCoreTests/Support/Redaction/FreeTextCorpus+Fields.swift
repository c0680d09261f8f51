extension FreeTextCorpus {
    /// Fields of messages, as logs, dictionaries and command lines write them.
    static let fieldMakers: [(kind: String, make: Maker)] = [
        hiding(
            "scheme in a dictionary",
            #"headers: ["Accept": "*/*", "Authorization": "{Token|Bearer|Digest|Own-Scheme|token} {0}", "#
                + #""Host": "a.example"]"#),
        hiding("scheme in JSON within JSON", #"{"log":"{\"authorization\":\"Token {0}\",\"a\":1}"}"#),
        hiding("scheme in a list", #"{"authorization": ["Token {0}"], "accept": ["*/*"]}"#),
        hiding("scheme in a property list", "{\n    Accept = \"*/*\";\n    Authorization = \"Token {0}\";\n}"),
        hiding("scheme as name=value", "level=info authorization={Token|Bearer} {0}"),
        hiding(
            "signature of Amazon",
            "Authorization: AWS4-HMAC-SHA256 Credential=AKID/20261122/eu-west-1/s3/aws4_request, "
                + "SignedHeaders=host;x-amz-date, Signature={0}", secret: { $0.random(hex, 64) }),
        hiding("scheme, more white space", "got {Bearer|bearer|Basic|Token}{  |\t| \t }{0} here"),
        hiding("scheme on the next line", "Authorization:\n    {Token|Digest|Bearer} {0}\nAccept: */*"),
        hidingAll(
            "cookies in a dictionary", #"["Accept": "*/*", "Cookie": "a={0}; theme={1}"]"#,
            secrets: { [$0.random(word, 12), $0.random(word, 20)] }),
        hidingAll(
            "received cookies", "Set-Cookie: a={0}; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b={1}; Path=/\r\nServer: a",
            secrets: { [$0.token(), $0.token()] }),
        hidingAll(
            "received cookies, a line each", "set-cookie: a={0}\nset-cookie: b={1}; Secure\n",
            secrets: { [$0.token(), $0.token()] }),
        hidingAll(
            "cookies in JSON within JSON", #"{"h":"{\"Cookie\": \"a={0}; b={1}\"}"}"#,
            secrets: { [$0.random(word, 12), $0.random(word, 20)] }),
        hiding(
            "session of PHP", "{PHPSESSID|JSESSIONID|ASPSESSIONIDAB|sessionid|laravel_session}={0}; path=/",
            secret: { $0.random(letters + digits, 26) }),
    ]

    /// Values in other forms.
    static let formMakers: [(kind: String, make: Maker)] = [
        hiding(
            "connection string",
            "DefaultEndpointsProtocol=https;AccountName=a;{AccountKey|SharedAccessKey|accountkey}={0};"
                + "EndpointSuffix=core.windows.net", secret: { $0.random(base64, 86) + "==" }),
        hiding(
            "password in a connection string", "Server=db;Database=a;User Id=jane;Password={0};Encrypt=true",
            secret: { $0.random(word, 14) }),
        hidingAll("code of a second factor", { [$0.random(digits, 6)] }) { corpus, secrets in
            let name = corpus.fill("{mfa_code|mfaCode|otp|sms_code|verification_code|two_factor_code}")
            let forms = [#"{"\#(name)":"{0}"}"#, #"{"\#(name)":{0}}"#, "\(name)={0}&x=1", "\(name):\t{0}"]
            return corpus.fill(corpus.pick(forms), hiding: secrets)
        },
        hiding(
            "magic link", "magic_link=https://a.example/l/{0}",
            #"{"magic_link":"https://a.example/l/{0}"}"#, "magicLink: https://a.example/l?x={0}&y=1",
            "reset_link: https://a.example/{0}", secret: { $0.random(word, 32) }),
        hiding(
            "value in code", "Session(refreshToken: Optional(\"{0}\"), user: \"jane\")",
            "password: Optional(\"{0}\")", "apiKey: Secret(value: \"{0}\")", "password=b'{0}'", "token = @\"{0}\";",
            "\"token\" => \"{0}\",", "[api_key] => {0}", "assert token == '{0}'", "password := {0}"),
        hiding(
            "value in a structure", "tokens: [\"{0}\"]", "tokens: [abc, {0}]",
            "secret: {\"value\": \"{0}\"} x", "api_key: ({0})", "token=<{0}>", "user[password]={0}&x=1",
            #"{\u0022token\u0022:\u0022{0}\u0022,\u0022a\u0022:1}"#, #"{\"credentials\":{\"id\":\"{0}\"},\"a\":1}"#),
        hidingAll("escaped quotes in a phrase", { $0.phrase() }) { _, words in
            #"{\"user\":\"jane\",\"password\":\"\#(words.joined(separator: #" \\\" "#))\",\"x\":1}"#
        },
        hidingAll("phrase with punctuation", { $0.phrase() }) { corpus, words in
            let name = corpus.fill("{password|Passphrase|db_password|PWD}")
            return "\(name): \(words.joined(separator: corpus.pick([", ", "; ", " & ", ". ", " = ", " / "])))"
        },
        hidingAll("phrase on the next line", "password:\n\t{*}\nuser: jane") { $0.phrase() },
        hiding(
            "key of a service, in punctuation", "({0})", "k={0}", "/hooks/{0}/x", "\"{0}\"", "[{0}]", "{0}", "id:{0},",
            secret: { $0.serviceKey() }),
        hiding(
            "user information, odd passwords",
            "connect {jane|svc.user|a_b-c}:{0}@{db.example|10.0.0.7:5432|localhost/x}",
            secret: { $0.random(word, 5) + $0.pick([":", "/", "!", "@", "#", "$", "%40", "?"]) + $0.random(word, 6) }),
        hiding("element", "<a><{password|apiKey|accessToken|ns:Secret}>{0}</x></a>"),
        hiding(
            "environment", "export {AWS_SECRET_ACCESS_KEY|GITHUB_TOKEN|STRIPE_API_KEY|JWT_SECRET}='{0}' && make",
            secret: { $0.random(base64, 40) }),
    ]
}
