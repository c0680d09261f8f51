"""Docs/Conformance.md, from Docs/Conformance.json: Scripts/conformance writes both."""

HEAD = """\
# Conformance

Public test suites, and how many of their tests this SDK passes. `make conformance` plays them and writes this page: no score is typed by hand.
A suite that cannot run on a machine keeps its last result, with its date. The scores of others are what they or the suite have published.

"""
NONE = "No published results of another client were found in a form that can be counted, so there is no comparison.\n"
KINDS = {"browser": "browser", "rev-proxy": "reverse proxy", "cdn": "CDN"}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def of(pair):
    return f"{pair[0]} of {pair[1]}"


def command(text):
    return f"Repeat it:\n\n```sh\n{text}\n```\n"


def when(result):
    return f"{result['date']}, at {result['commit']}"


def cache(result, peers):
    text = """\
The [HTTP cache tests](https://github.com/http-tests/cache-tests) (<https://cache-tests.fyi>) ask what RFC 9111 requires of a cache, and what a good one does
beyond that. Played here are ten of their groups: the 161 tests that apply to the private cache of a client. The data are the suite's; the program that
plays them is an independent one.

- **Required**: what RFC 9111 requires. **Optimal**: a reuse of a response that is allowed, and that a good cache does.
- **Yes**: tests without a right answer, which record what a cache does. More is not better.
- A test that depends on one that fails is not passed, for all rows alike.

"""
    rows = []
    if result:
        score = result["score"]
        rows.append(["**This SDK**, `ResponseCache`", "client", *(of(score[kind]) for kind in ("required", "optimal", "check")), when(result)])
    for row in (peers or {}).get("rows", []):
        cells = [of(row[kind]) + (f" ({row[kind][2]} not played)" if row[kind][2] else "") for kind in ("required", "optimal", "check")]
        link = f"https://github.com/http-tests/cache-tests/blob/{peers['commit']}/results/{row['file']}"
        rows.append([f"[{row['name']}]({link}) {row['version']}", KINDS.get(row["kind"], row["kind"]), *cells, row["date"]])
    text += table(["Cache", "Kind", "Required", "Optimal", "Yes", "Date"], rows)
    text += """
The other rows are the suite's own published results, counted as above for the same 161 tests. Browsers play the tests through `fetch`. Reverse proxies and the
CDN are shared caches, so some of the tests are not played there.

"""
    return text + command("Scripts/conformance cache                 # or Scripts/check-cache-suite, which lists each test\n"
                          "Scripts/conformance --peers CLONE         # a clone of github.com/http-tests/cache-tests")


def autobahn(result):
    text = """\
The [Autobahn test suite](https://github.com/crossbario/autobahn-testsuite) 0.8.2 plays a WebSocket server that breaks the rules. A client has to answer as RFC 6455
and RFC 7692 say. *Non-strict* is allowed, with a choice that the suite would not make; *informational* cases have no right answer. The cases of group 9 measure
speed, and are left out.

"""
    if result:
        names = {"1": "framing", "2": "pings", "3": "reserved bits", "4": "opcodes", "5": "fragmentation", "6": "UTF-8", "7": "closing",
                 "10": "automatic fragmentation", "12": "compression", "13": "compression with parameters"}
        score = result["score"]
        verdicts = sorted({verdict for group in score.values() for verdict in group}, key=lambda it: (it != "OK", it))
        rows = [[f"{group}: {names.get(group, '')}", *(counts.get(verdict, 0) for verdict in verdicts), sum(counts.values())]
                for group, counts in score.items()]
        rows.append(["**all**", *(sum(counts.get(verdict, 0) for counts in score.values()) for verdict in verdicts),
                     sum(sum(counts.values()) for counts in score.values())])
        text += table(["Cases", *(verdict if verdict == "OK" else verdict.capitalize() for verdict in verdicts), "Played"], rows) + f"\n{when(result)}. "
    return text + NONE + "\n" + command("PYTHON2=/path/to/python2.7 Scripts/conformance autobahn")


def cookies(result):
    text = """\
The [http-state tests](https://github.com/abarth/http-state), written along with RFC 6265, give a client `Set-Cookie` fields and say which `Cookie` field it has to send.

"""
    if result:
        score = result["score"]
        dates = "both files pass" if score["dates"] == 2 else "**fails**"
        text += table(["Part", "Passed", "Date"], [["parser", of(score["parser"]), when(result)], ["dates of cookies", dates, when(result)]])
        if score["differ"]:
            text += "\nThe others expect what RFC 6265bis has changed, or what RFC 6265 left open:\n\n"
            text += "".join(f"- `{name}`: {reason}\n" for name, reason in score["differ"])
        text += "\n"
    return text + NONE + "\n" + command("HTTP_STATE_SUITE=CLONE Scripts/conformance cookies      # a clone of github.com/abarth/http-state")


def signatures(result):
    text = """\
[RFC 9421](https://www.rfc-editor.org/rfc/rfc9421.html#name-test-cases) has six signatures in its appendix B.2. Two of them sign a request with an algorithm that
gives the same bytes each time and that `HTTPMessageSigner` offers.

"""
    if result:
        score = result["score"]

        def verdict(name):
            return "passed" if score[name] else "**failed**"

        text += table(["Test", "Signs", "Result"], [
            ["B.2.1, B.2.2, B.2.3", "a request, with RSA-PSS", "not played: the signer has no RSA"],
            ["B.2.4", "a response, with ECDSA", "not played: the signer signs requests. openssl checks its ECDSA signatures in the tests"],
            ["B.2.5", "a request, with HMAC-SHA256", verdict("B.2.5")],
            ["B.2.6", "a request, with Ed25519", verdict("B.2.6")],
            ["section 2.2", "the components of a request", verdict("components")]])
        text += f"\n{when(result)}. "
    return text + NONE + "\n" + command("Scripts/conformance signatures")


def sigv4(result):
    text = """\
Amazon's [test suite of Signature Version 4](https://github.com/awslabs/aws-c-auth/tree/main/tests/aws-signing-test-suite/v4) has requests and the signatures that
they must get. botocore is the library of Amazon's own tools for Python: both sign the same requests, and the signatures are compared.

"""
    if result:
        score = result["score"]
        rows = [["Amazon's suite, signatures in the header", of(score["passed"]), f"{score['tests']} in the suite"]]
        if "botocore" in score:
            first, others, verdict = score["botocore"]
            rows.append([f"beside botocore: {first} paths and queries, and {others} other requests", f"all {verdict}", ""])
        text += table(["Tests", "Passed", ""], rows)
        if score["left out"]:
            text += "\nLeft out, since the signer cannot be asked for it:\n\n"
            text += "".join(f"- {count}: {reason}\n" for reason, count in score["left out"].items())
        text += f"\n{when(result)}. "
    return text + NONE + "\n" + command("SIGV4_SUITE=CLONE/tests/aws-signing-test-suite/v4 Scripts/conformance sigv4   # a clone of github.com/awslabs/aws-c-auth")


def sse(result):
    text = """\
The [Web Platform Tests](https://github.com/web-platform-tests/wpt/tree/master/eventsource) of `EventSource` need a browser. The streams of their `format-…` tests
are played by our own tests, as are the examples of the [HTML standard](https://html.spec.whatwg.org/multipage/server-sent-events.html). Random streams are compared
with a second parser, which follows the standard's words one by one.

"""
    if result:
        score = result["score"]
        formats = len(score["formats"])
        text += table(["Tests", "Passed"], [
            ["streams of the Web Platform Tests", of([formats if score["formats passed"] else 0, formats])],
            ["examples of the standard", of([score["examples"] if score["examples passed"] else 0, score["examples"]])],
            ["sets of 400 random streams", of([score["streams"], 16])]])
        text += "\nPlayed: " + ", ".join(f"`{name}`" for name in score["formats"]) + f".\n\n{when(result)}. "
    return text + NONE + "\n" + command("Scripts/conformance sse")


def page(results):
    suites, peers = results["suites"], results["peers"]
    missing = "Not run yet.\n\n"
    text = HEAD
    for title, name, section in (
        ("HTTP cache: RFC 9111", "cache", lambda it: cache(it, peers.get("cache"))), ("WebSocket: Autobahn", "autobahn", autobahn),
        ("Cookies: http-state", "cookies", cookies), ("HTTP Message Signatures: RFC 9421", "signatures", signatures),
        ("AWS Signature Version 4", "sigv4", sigv4), ("Server-sent events", "sse", sse),
    ):  # fmt: skip
        result = suites.get(name)
        text += f"## {title}\n\n" + ("" if result else missing) + section(result) + "\n"
    return text.rstrip("\n") + "\n"
