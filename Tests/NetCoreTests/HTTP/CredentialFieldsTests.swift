import NetCore
import Testing

@Suite struct CredentialFieldsTests {
    let fields = CredentialFields.standard

    /// RFC 9110, section 18.4, and RFC 9111, section 9, but for the three credentials; RFC 9112's one field of framing.
    static let standardFields = """
        Accept Accept-Charset Accept-Encoding Accept-Language Accept-Ranges Allow Authentication-Info Connection Content-Encoding
        Content-Language Content-Length Content-Location Content-Range Content-Type Date ETag Expect From Host If-Match
        If-Modified-Since If-None-Match If-Range If-Unmodified-Since Last-Modified Location Max-Forwards Proxy-Authenticate
        Proxy-Authentication-Info Range Referer Retry-After Server TE Trailer Upgrade User-Agent Vary Via WWW-Authenticate
        Age Cache-Control Expires Pragma Warning Transfer-Encoding
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static let messageFields = [
        "X-Request-ID", "X-Correlation-ID", "Request-Id", "traceparent", "tracestate", "baggage", "b3", "X-B3-TraceId",
        "x-b3-spanid", "X-B3-Sampled", "X-Amzn-Trace-Id", "X-Cloud-Trace-Context", "Idempotency-Key",
        "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions",
    ]

    @Test("Fields of RFC 9110, 9111 and tracing are harmless in any case", arguments: standardFields + messageFields)
    func harmlessFields(name: String) {
        for name in [name, name.uppercased(), name.lowercased()] { #expect(!fields.isCredential(name)) }
    }

    /// Every other field is a credential.
    @Test(arguments: [
        "Authorization", "authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Session", "Token",
        "X-Tenant", "X-Amz-Security-Token", "X-API-Key", "X-CSRF-Token", "apikey", "X-Forwarded-For", "Origin",
        "Cache-Status", "X-RateLimit-Limit", "Sec-WebSocket-Protocol",
        // Close to harmless ones.
        "", "X", "X-B3", "X-B3-", "B3-", "Y-B3-TraceId", "X-B4-TraceId", "Date ", " Date", "Datee", "Dat",
        "D\u{0}te", "X_Request_ID", "Accept\u{301}", "\u{212A}eep-Alive", "Tracesta\u{FF54}e",
        "x-a-name-that-is-longer-than-any-harmless-one-by-far",
    ]) func credentialFields(name: String) { #expect(fields.isCredential(name)) }

    @Test("Names that differ from a harmless one in any byte are credentials")
    func similarNames() {
        for name in Self.standardFields {
            let bytes = Array(name.utf8)
            for index in bytes.indices {
                for replacement: UInt8 in [0x21, 0x30, 0x5A, 0x5F, 0x7E] {
                    if replacement | 0x20 == bytes[index] | 0x20 { continue }
                    var changed = bytes
                    changed[index] = replacement
                    let other = String(decoding: changed, as: UTF8.self)
                    if Self.standardFields.contains(where: { $0.equalsIgnoringASCIICase(other) }) { continue }
                    #expect(fields.isCredential(other), "\(other)")
                }
            }
        }
    }

    @Test("Added names are harmless; the credentials of HTTP stay credentials")
    func addedNames() {
        let fields = CredentialFields(harmless: [
            "X-Feature-Flag", "x-client-version", "Cookie", "authorization", "PROXY-AUTHORIZATION",
        ])
        for name in ["x-feature-flag", "X-Client-Version", "Accept"] { #expect(!fields.isCredential(name)) }
        for name in ["Cookie", "Authorization", "Proxy-Authorization", "X-Feature"] {
            #expect(fields.isCredential(name))
        }
        #expect(CredentialFields.standard.isCredential("X-Feature-Flag"))
    }

    @Test("Equality ignores order, case and duplicates")
    func equality() {
        #expect(
            CredentialFields(harmless: ["X-A", "X-B"]) == CredentialFields(harmless: ["x-b", "X-a", "X-A", "Accept"]))
        #expect(CredentialFields(harmless: ["X-A"]) != .standard)
        #expect(CredentialFields(harmless: [] as Set<String>) == .standard)
    }
}

/// Rule 2: the fields that separate stored responses and shared exchanges.
@Suite struct IdentifyingFieldsTests {
    /// Fields of real SDKs, of proxies, browsers and IANA's registry that name neither a secret nor a subject.
    static let others = """
        Accept Accept-Charset Accept-Encoding Accept-Language Accept-Datetime Accept-Patch Accept-Post Accept-Profile
        Accept-Signature Access-Control-Request-Headers Access-Control-Request-Method ALPN Alt-Used AMP-Cache-Transform
        Apply-To-Redirect-Ref Authentication-Info Cache-Control Capsule-Protocol CDN-Loop Client-Cert Connection
        Content-Digest Content-Encoding Content-Language Content-Length Content-Profile Content-Type Date Depth Destination
        DNT DPoP Downlink Early-Data ECT Expect Forwarded From Host HTTP2-Settings If If-Match If-Modified-Since
        If-None-Match If-Range If-Schedule-Tag-Match If-Unmodified-Since Incremental Keep-Alive Last-Event-ID Max-Forwards
        MIME-Version OData-MaxVersion OData-Version Origin Overwrite Ping-From Pragma Prefer Priority Purpose Range Referer
        Repeatability-First-Sent Repeatability-Request-ID RTT Save-Data Schedule-Reply Sec-CH-UA Sec-CH-UA-Arch
        Sec-CH-UA-Full-Version-List Sec-CH-UA-Mobile Sec-CH-UA-Model Sec-CH-UA-Platform Sec-CH-Prefers-Color-Scheme
        Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Sec-Fetch-User Sec-GPC Sec-Purpose Sec-WebSocket-Extensions
        Sec-WebSocket-Key Sec-WebSocket-Version SOAPAction Surrogate-Capability TE Timeout Topic Trailer Transfer-Encoding
        TTL Upgrade Upgrade-Insecure-Requests Urgency User-Agent Via Viewport-Width Want-Content-Digest Warning Width
        traceparent tracestate baggage b3 X-B3-TraceId X-B3-Sampled sentry-trace X-Datadog-Trace-Id X-Datadog-Parent-Id
        X-Datadog-Sampling-Priority X-Datadog-Origin uber-trace-id newrelic X-NewRelic-Transaction X-Amzn-Trace-Id
        X-Cloud-Trace-Context X-Request-ID X-Correlation-ID Request-Id X-Ot-Span-Context X-Honeycomb-Trace grpc-trace-bin
        Idempotency-Key X-Idempotency-Key PayPal-Request-Id X-Amz-Date X-Amz-Content-SHA256 X-Amz-Target X-Amz-User-Agent
        amz-sdk-invocation-id amz-sdk-request X-Amz-Checksum-Mode X-Amz-Request-Payer X-Ms-Date X-Ms-Version
        X-Ms-Client-Request-Id X-Ms-UserAgent X-Ms-Return-Client-Request-Id X-Ms-Effective-Locale X-Goog-Api-Client
        X-Goog-FieldMask X-Goog-Request-Params X-Client-Data X-Firebase-Client X-Firebase-GMPID X-Ios-Bundle-Identifier
        X-Android-Package X-Client-SKU X-Client-Ver X-Client-OS Stripe-Version X-Stripe-Client-User-Agent
        X-Stripe-Client-Telemetry Square-Version Plaid-Version Intercom-Version LinkedIn-Version Notion-Version
        anthropic-version anthropic-beta openai-beta X-Stainless-Lang X-Stainless-Runtime X-Stainless-Retry-Count
        X-GitHub-Api-Version X-GitHub-Next-Global-Id X-Restli-Protocol-Version X-Li-Lang X-Li-User-Agent
        X-Contentful-User-Agent X-Algolia-Application-Id X-Algolia-Agent X-LaunchDarkly-User-Agent X-LaunchDarkly-Wrapper
        X-LaunchDarkly-Event-Schema apollographql-client-name apollographql-client-version apollo-require-preflight
        X-Apollo-Operation-Name X-Apollo-Operation-Type X-Client-Info X-Supabase-Api-Version Dropbox-API-Arg
        Bugsnag-Payload-Version Bugsnag-Sent-At X-Okta-User-Agent-Extended Auth0-Client Spotify-App-Version App-Platform
        X-Shopify-Storefront-Version X-Requested-With X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Real-IP
        X-HTTP-Method-Override X-Device-Model X-App-Version X-Build-Number X-Timezone X-Locale X-Experiment X-Feature-Flags
        X-Author X-UserAgent-Hint X-API-Version X-CSRF-Token X-XSRF-TOKEN X-CSRFToken X-Screen X-Timestamp X-Nonce Foo
        X-Twitter-Active-User X-Parse-Revocable-Session X-Parse-Application-Id X-Monkey X-Tokenizer X-Groups X-Keyboard
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static let identifying = """
        Authorization Proxy-Authorization Cookie X-API-Key Api-Key apikey X-Auth-Token X-Access-Token X-AccessToken
        X-Amz-Security-Token X-Goog-Api-Key X-Goog-User-Project X-Goog-IAM-Authorization-Token Ocp-Apim-Subscription-Key
        X-Shopify-Storefront-Access-Token X-Algolia-API-Key X-Parse-Session-Token X-Parse-REST-API-Key DD-API-KEY
        DD-APPLICATION-KEY X-Honeycomb-Team Stripe-Account OpenAI-Organization OpenAI-Project CF-Access-Client-Secret
        CF-Access-Token X-Auth-Email X-Auth-Key X-Hasura-Admin-Secret X-Hasura-Role X-Hasura-User-Id Dropbox-API-Select-User
        As-User Bugsnag-Api-Key X-App-License-Key Plaid-Secret X-Tenant X-TenantId X-Org-Id X-Organisation X-Workspace
        X-Company X-Store-Id X-Shop-Domain X-Merchant X-Realm X-Member X-Customer-Id X-Profile-Id X-Session X-SessionID
        X-User X-UserId X-Username user-id User X-User-Agent-Token X-Act-As X-On-Behalf-Of X-Impersonate-User Sudo
        X-Remote-User X-Forwarded-User X-Authenticated-Userid OIDC_CLAIM_sub Signature Signature-Input X-Hub-Signature-256
        X-JWT-Assertion Session-Id X-Role X-Group X-Principal X-Actor X-Identity X-Subject X-Account-Number x.uid X_SID
        Key-Version Sec-Token-Binding Lock-Token Firebase-Instance-ID-Token X-Atlassian-Token
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    @Test(arguments: [(others, false), (identifying, true)])
    func fieldsThatIdentify(_ names: [String], identify: Bool) {
        #expect(names.count >= (identify ? 70 : 170))
        for name in names.flatMap({ [$0, $0.lowercased(), $0.uppercased()] }) {
            #expect(IdentifyingFields.standard.contains(name) == identify, "\(name)")
        }
    }

    @Test("The configuration's names win, but for the credentials of HTTP")
    func configuredNames() {
        let fields = IdentifyingFields(
            identifying: ["X-Variant", "Accept-Language", "X-Team-Shirt"],
            shared: ["X-Store-Locale", "x-team-*", "Authorization", "cookie", "*"])
        for name in ["x-variant", "Accept-Language", "X-TEAM-SHIRT", "Authorization", "Cookie", "Proxy-Authorization"] {
            #expect(fields.contains(name), "\(name)")
        }
        for name in ["x-store-locale", "X-Team-Color", "X-Team-"] { #expect(!fields.contains(name), "\(name)") }
        let family = IdentifyingFields(shared: ["x-team-*"])
        #expect(family.contains("X-Team") && family.contains("Y-Team-Color") && !family.contains("x-Team-Color"))
    }

    @Test(
        "Names that cannot be sent, and other alphabets", arguments: ["", "-", "--", "é", "x-t\u{F6}ken", "\u{212A}ey"])
    func invalidNames(name: String) { #expect(!IdentifyingFields.standard.contains(name)) }

    @Test("Equality ignores order and case")
    func equality() {
        #expect(
            IdentifyingFields(identifying: ["A", "b"], shared: ["c", "d-*"])
                == IdentifyingFields(identifying: ["B", "a"], shared: ["D-*", "C"]))
        #expect(IdentifyingFields(shared: ["a"]) != .standard)
    }
}
