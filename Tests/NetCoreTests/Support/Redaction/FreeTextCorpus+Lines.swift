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

extension FreeTextCorpus {
    /// Lines of servers, clients, compilers, databases and shells without a secret: templates of ``fill(_:hiding:)``.
    static let harmless = [
        // Statuses and codes
        "server answered with code: {n-1:599}", "exit code: {n0:255}", "exit code: 0",
        "Process finished with exit code {n0:139}", "error code: {d4}", "errno={n1:133} (Connection refused)",
        "code: {ENOENT|not_found|invalid_grant|E_FAIL|card_declined}", "HTTP/1.1 {n200:599} Service Unavailable",
        #"{"code":{n100:599},"message":"Not Found"}"#,
        "curl: ({n1:96}) Failed to connect to localhost port {n1024:9999}",
        "Error Domain=NSURLErrorDomain Code=-{n1000:1200} \"The request timed out.\"",
        "status={n200:504} bytes={n0:90000}",
        "SQLSTATE[{d5}]: Integrity constraint violation: {n1000:1999} Duplicate entry",
        "gRPC status code: {n0:16} (UNAVAILABLE)",
        "close code: {n1000:1015}, reason: going away", "signal {n1:31}, core dumped",
        // Keys that are none
        "primary key: {d5}", "primary key: 7", "missing key: {name|owner|created_at|items} at items.{d1}",
        "foreign key: fk_orders_user_{d2}", "cache key: {path}", "partition key: {n0:64}",
        "keyNotFound(CodingKeys(stringValue: \"name\", intValue: nil))", "key: {ArrowUp|Enter|Escape} pressed",
        "author: {Jane|John} Doe, monkey: {d2}, keyboard: de", "sort key: created_at desc, {n1:99} rows",
        // Hashes, versions, identifiers
        "commit {h40} by jane", "HEAD is now at {h7} Fix the tests", "Merge: {h7} {h7}",
        "index {h7}..{h7} 100644", "[main {h7}] Reads a field", "sha256:{h64}", "{h32}  archive.tar.gz",
        "etag: \"{h16}\"", "If-None-Match: W/\"{h10}\"", "integrity sha1: {h40}",
        "swift-6.{d1}.{d1} on Linux 6.{d1}.0-26-amd64", "version 1.{d2}.0 (build {d6})",
        "User-Agent: curl/7.{d2}.1", "nginx/1.{d2}.3, OpenSSL 3.0.{d2}", "node v20.{d1}.{d1}, npm 10.{d1}.2",
        "image nginx:1.{d2}-alpine@sha256:{h64}", "upgraded networking from 1.2.{d1} to 2.0.0-beta.{d1}+{h7}",
        "request {uuid} timed out", "X-Request-ID: {uuid}", "traceparent: 00-{h32}-{h16}-01",
        "CFBundleVersion = {d4}; ProductName = macOS;", "Package.resolved: \"revision\" : \"{h40}\"",
        // Times
        "2026-11-2{d1}T19:03:12.040Z info network #7 started", "Nov {n10:30} 06:25:4{d1} web cron[{d4}]: done",
        "Date: Sun, 06 Nov 1994 08:49:{n10:59} GMT",
        "[22/Nov/2026:11:{n10:59}:07 +0000] \"GET / HTTP/1.1\" 200 {n1:9999}",
        "Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT, age {n1:999}", "took {n1:999}.{d3} ms (p99: {n1:99} ms)",
        "uptime: {n1:99} days, 3:25, load average: 0.{d2}, 1.{d2}", "expires in {n1:9999} s at 17:0{d1}:00",
        "timestamp=17{d8} elapsed=0.{d6}",
        // URLs and addresses
        "GET /users/{d4}?page=2 in {d3} ms", "https://api-{d2}.example.com:8443{path}?sort=name&limit={d2}",
        "connection to api-{d2}.example.com:443 was reset", "received {d6} bytes from 10.0.{d2}.7:8080",
        "listening on http://[::1]:{n1024:9999}/", "redirect: {path} → https://www.example.com{path}",
        "ws://localhost:{n1024:9999}/socket opened", "git clone git@github.com:example/project-{d2}.git",
        "ssh://git@example.com:22/a/b-{d2}.git", "mailto:jane{d2}@example.com", "jane{d2}@example.com has signed in",
        "DNS: api.example.com → 192.0.2.{n1:254}, 2001:db8::{h4}", "MAC 52:54:00:{h2}:{h2}:{h2} on eth0",
        "proxy: http://proxy.example:3128 used for {n1:99} requests", "file:///var/log/app/2026-11-{n10:30}.log",
        "Via: 1.1 varnish, 1.1 cache-fra-{d4}", "Host: [2001:db8::{h2}]:8443",
        // What is said of tokens, sessions and passwords
        "token: {expired|missing|invalid|none}", "the token has expired {d2} seconds ago",
        "session: started, {d3} requests", "Basic authentication failed after {d1} tries",
        "password: {required|missing|too short}", "token refresh took {d2} ms",
        "max_tokens: {n256:8192}, temperature: 0.7", "session timeout: {n1:90} min",
        "token_type: bearer, expires_in: {n60:7200}", "cookies: {n0:30} stored, {n0:30} sent",
        "2 passwords changed, {n1:30} unchanged", "passed: {n1:900}, failed: 0, skipped: {n0:9}",
        "session_count={n1:900} token_ttl={n60:7200}", "Authentication: enabled, role: reader-{d1}",
        "secretary: Jane Doe, room {d3}", "Digest algorithms: MD5, SHA-256 ({n1:9} known)",
        "Token bucket: {n0:99} of 100 left",
        // Code, stack traces, compilers, tools
        "at {d2}:11:12 in Sources/App/Main.swift:{d3}", "{d1}  App  0x0000000{h9} main + {d3}",
        "  at Object.<anonymous> (/srv/app/index.js:{d3}:{d2})", "  File \"/srv/app.py\", line {d3}, in handler",
        "\tat com.example.App.main(App.java:{d3})", "Sources/A/B.swift:{d3}:{d2}: warning: variable 'x' was never used",
        "Fatal error: Index out of range: file Swift/Array.swift, line {d3}",
        "goroutine {d2} [running]: main.main() /srv/main.go:{d2} +0x{h3}",
        "Thread {d1} crashed: Illegal instruction at 0x00007f{h10}", "dyld: Library not loaded: @rpath/libA.{d1}.dylib",
        "[{d3}/834] Compiling NetCore URL+Path.swift", "Test \"Work is linear\" passed after 0.{d3} seconds.",
        "Executed {d3} tests, with 0 failures (0 unexpected) in {d1}.{d3} ({d1}.{d3}) seconds",
        "let count: Int = {d2}; var name: String? = nil", "if a == b { return x[{d1}] ?? 0 }",
        "docker run -p 80{d2}:80 -v /a:/b nginx",
        "make: *** [Makefile:{d2}: test] Error {d1}", "kernel: [{d5}.{d6}] eth0: link up, 1000 Mbps",
        "-rw-r--r-- 1 jane staff {d5} Nov 22 11:03 README.md", "PID {d5} USER jane CPU {d1}.{d1}% MEM {d3}M",
        // Messages, bodies, numbers
        "retry {d1} of 5 after 0.{d2} s: connection_lost",
        "Content-Type: application/json; charset=utf-8, Content-Length: {d4}",
        "Cache-Control: public, max-age={n0:86400}, stale-while-revalidate=60",
        "Accept-Language: de-DE,de;q=0.{d1},en;q=0.7",
        "RateLimit-Remaining: {n0:5000}", #"{"id":{d6},"name":"Jane","tags":["a","b"],"price":{d2}.99}"#,
        #"items[{d1}].owner.age: expected Int, found string"#, "SELECT id, name FROM users WHERE id = {d5} LIMIT 10",
        "INSERT 0 {d2} in {d1}.{d2} ms", "[{d4}] 200 OK, 12 headers, image/png", "progress: {n0:100} % ({d5}/99999)",
        "invoice 2026-{d6}, total: {d3}.{d2} EUR, VAT: 19 %", "order={d8} quantity={d1} sku=AB-{d4}",
        "phone +49 30 {d7}, fax -{d2}", "position: 52.{d6}, 13.{d6}", "color: #{h6}, width: {d3}px",
        "TLS 1.3, AES_128_GCM_SHA256, h2, {d1} streams, issuer: CN=Example CA",
        "certificate serial {h2}:{h2}:{h2}, CN=*.example.com, O=Example",
        "disk: {d2} GB of {d3} GB, inode {d7}", "gc: heap {d3} MB -> {d2} MB, pause {d1}.{d2} ms",
        "feature flags: newCheckout=true, darkMode=false, rollout={n0:100}",
        "state: {closed|open|half-open}, failures: {d1}, host: a.example",
        "language: de, country code: DE, zip code: {d5}", "“Grüße” said 你好 {d2} times – naïve café",
    ]

    /// Lines without a secret, of each kind as many.
    mutating func harmlessLines(_ count: Int) -> [String] {
        (0..<count).map { fill(Self.harmless[$0 % Self.harmless.count]) }
    }
}
