import BenchKit
import NetTransfer

/// What making a multipart body costs. The sink copies each chunk into one buffer, as a transport does.
func multipartRows() -> [Row] {
    let samples = MultipartSamples()
    return [
        Row(name: "multipart from memory", goal: "1500 MB/s", operations: 4, bytes: MultipartSamples.size) { count in
            for _ in 0..<count { try await drain(samples.fromMemory()) }
        },
        Row(
            name: "multipart from a file in the page cache", goal: "1500 MB/s", operations: 4,
            bytes: MultipartSamples.size
        ) { count in
            let formData = try samples.fromFile()
            for _ in 0..<count { try await drain(formData) }
        },
    ]
}

private func drain(_ formData: MultipartFormData) async throws {
    // A page's start: copying takes twice as long if the target begins a few bytes behind the source, counted from the start of their pages.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
    defer { buffer.deallocate() }
    var count = 0
    for try await chunk in try formData.makeBody() {
        guard chunk.count <= buffer.count else { throw Failure("a chunk of \(chunk.count) bytes") }
        chunk.withUnsafeBytes { buffer.copyMemory(from: $0) }
        count += chunk.count
    }
    guard count > MultipartSamples.size else { throw Failure("\(count) bytes") }
}

/// Made when they are first asked for; the file goes with their owner.
private final class MultipartSamples {
    static let size = 256 << 20

    private lazy var data = Data(repeating: 7, count: 64 << 20)
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("bench-multipart-\(getpid())")

    func fromMemory() -> MultipartFormData {
        let formData = MultipartFormData()
        for part in 0..<4 { formData.append(data: data, name: "part\(part)", filename: "\(part).bin") }
        return formData
    }

    func fromFile() throws -> MultipartFormData {
        if !FileManager.default.fileExists(atPath: file.path) {
            guard FileManager.default.createFile(atPath: file.path, contents: data) else { throw Failure(file.path) }
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            for _ in 0..<3 { try handle.write(contentsOf: data) }
            try handle.close()
        }
        let formData = MultipartFormData()
        try formData.append(fileURL: file, name: "file")
        return formData
    }

    deinit {
        try? FileManager.default.removeItem(at: file)
    }
}
