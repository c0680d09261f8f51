import NetCore
import Testing

@Suite struct FieldParametersTests {
    @Test(arguments: [
        ("", []), ("a", []), ("a; b=c", ["b=c"]), ("a;B=C ; d=\"e f\";", ["b=C", "d=e f"]), ("a; b = c", ["b=c"]),
        ("a; b=\"c;d=\\\"e\\\\\"; f=g", ["b=c;d=\"e\\", "f=g"]),
        // Malformed parameters are skipped.
        ("a; stray; b=c", ["b=c"]), ("a; =; b=c", ["b=c"]), ("a; =x; b=c", ["b=c"]), ("a;;; b=c", ["b=c"]),
        ("a; b=; c=d", ["c=d"]),
        ("a; \"stray; x=y\"; b=c", ["b=c"]), ("a; two words=x; b=c", ["b=c"]), ("a; b=\"c; d=e", ["b=c", "d=e"]),
        ("a; b=\"c; d=\"e\"; f=g", ["b=c", "d=e", "f=g"]), ("a; b=\"say \"hi\"\"; c=d", ["b=say \"hi\"", "c=d"]),
        ("a; \"; b=c", ["b=c"]), ("a; b=\"c\"x; d=e", ["b=c", "d=e"]), ("a; b=\"", []), ("a; b=\"c\\", ["b=c\\"]),
    ]) func parameters(_ value: String, expected: [String]) {
        #expect(FieldParameters.parse(value).map { "\($0.name)=\($0.value)" } == expected)
    }
}
