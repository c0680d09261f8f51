// swift-tools-version: 6.2
import PackageDescription

/// Pick and choose: of the SDK this program links `NetTransfer` and what that stands on (`NetClient`, `NetCore`), and neither cache nor
/// logging nor security. In a package elsewhere, a URL stands in place of `path:`.
let transfer = Target.Dependency.product(name: "NetTransfer", package: "Networking")

let package = Package(
    name: "Downloader",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "Networking", path: "../..")],
    targets: [
        .target(name: "DownloadTool", dependencies: [transfer]),
        .executableTarget(name: "download", dependencies: ["DownloadTool"]),
        .testTarget(
            name: "DownloadToolTests",
            dependencies: [
                "DownloadTool", "download", transfer, .product(name: "NetTesting", package: "Networking"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
