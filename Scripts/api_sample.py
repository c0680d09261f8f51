"""A small package, and the changes of it that Scripts/api-surface and Scripts/check-api-breakage must tell, or let pass."""
import pathlib

from swift_modules import Failed, Package

MANIFEST = """\
// swift-tools-version: 6.0
import PackageDescription
let package = Package(
    name: "Sample", products: [.library(name: "Sample", targets: ["Sample", "Base"])],
    targets: [.target(name: "Base"), .target(name: "Sample", dependencies: ["Base"])], swiftLanguageModes: [.v6])
"""
SAMPLE = """\
@_exported public import Base
public enum Kind { case one }
public protocol Plugin: Sendable { func run(); func stop() }
extension Plugin { public func stop() {} }
public struct Value: Hashable { public let number: Int; public init(number: Int = 1) { self.number = number } }
open class Thing {
    public func go(to place: String) {}
    package func hidden() {}
}
extension Array where Element == Value { public var total: Int { 0 } }
"""
# What is replaced by what; a piece of the line of the surface; a piece of the break. None: the check must stay green.
CHANGES = [
    ("case one", "case one, two", "+Kind.two | case two", "enumelement Kind.two has been added as a new enum case"),
    ("public func go(to place: String) {}", "", "-Thing.go(to:) | func go(to place: String)", "func Thing.go(to:) has been removed"),
    ("to place: String", "towards place: String", "+Thing.go(towards:)", "func Thing.go(to:) has been renamed to func go(towards:)"),
    ("place: String", "place: Int", "+Thing.go(to:) | func go(to place: Int)", "parameter 0 type change from Swift.String to Swift.Int"),
    ("place: String)", "place: String) throws", "String) throws", "func Thing.go(to:) is now throwing"),
    ("number: Int = 1", "number: Int = 2", "init(number: Int = 2)", None),
    ("number: Int = 1", "number: Int", "init(number: Int)", "has removed default argument from parameter 0"),
    ("Value: Hashable", "Value: Equatable", "-Value | conforms to Hashable", "struct Value has removed conformance to Hashable"),
    ("func run();", "func run(); func more();", "+Plugin.more() | requirement: func more()",
     "func Plugin.more() has been added as a protocol requirement"),
    ("func stop() }", "func stop(); func more() }\nextension Plugin { public func more() {} }", "+Plugin.more() | requirement, has a default", None),
    ("extension Plugin { public func stop() {} }", "", "+Plugin.stop() | requirement: func stop()", "Plugin.stop()"),
    ("open class", "public class", "-Thing | open class Thing", "class Thing is no longer open for subclassing"),
    ("@_exported public", "public", "-(module) | @_exported import Base", "the re-export of Base has been removed"),
    ("Element == Value", "Element == Int", "(extension where Element == Int)", "Array.total"),
    ("public func go", "@available(*, deprecated) public func go", "@available(*, deprecated)", None),
    ("public func go", "@available(macOS 13, *) public func go", "@available(macOS, introduced: 13)", None),
    ("public func go", "public func come() {}\n    public func go", "+Thing.come() | func come()", None),
    ("package func hidden() {}", "", None, None),
]


def write(root, text=SAMPLE):
    """The package in the folder `root`, with this text in place of SAMPLE."""
    for name, source in (("Base", "public struct Base {}\n"), ("Sample", text)):
        path = pathlib.Path(root, "Sources", name, f"{name}.swift")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    pathlib.Path(root, "Package.swift").write_text(MANIFEST)
    return Package(root)


def check_changes(column, report_of):
    """Makes each change. `report_of` gives the report of a text of Sample, and `column` what must be in it: 2 the surface, 3 the breaks."""
    for change in [("", "", None, None), *CHANGES]:
        report, expected = report_of(SAMPLE.replace(change[0], change[1]) if change[0] else SAMPLE), change[column]
        if change[0] not in SAMPLE:
            raise Failed(f"the sample has no `{change[0]}`")
        if bool(report) != (expected is not None) or (expected or "") not in report:
            raise Failed(f"`{change[0]}` became `{change[1]}`, and the report is not as it must be ({expected}):\n{report}")
