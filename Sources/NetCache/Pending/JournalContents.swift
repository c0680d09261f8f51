import NetCore

/// What could be read of a queue's file, however it looks.
struct JournalContents {
    /// Where the records of the operations stand that were put and not removed.
    private(set) var extents: [UUID: Range<Int>] = [:]
    /// Where the next record goes: behind the last whole one.
    private(set) var end = JournalHeader.length
    /// The bytes behind that: a record that was never finished, and so never promised to anybody.
    private(set) var tornBytes = 0
    /// The bytes in front of it that belong to no record: something has damaged the file.
    private(set) var damagedBytes = 0

    init() {}

    /// Reads all that is whole behind the header.
    init(_ file: Data, salt: UInt64) {
        let file = file.startIndex == 0 ? file : Data(file)
        var position = JournalHeader.length
        while position < file.count {
            if let (record, length) = JournalRecord.decode(file[position...], salt: salt) {
                apply(record, at: position..<(position + length))
                damagedBytes += position - end
                position += length
                end = position
            } else {
                // Whether this is the torn tail or damage shows in whether anything whole follows.
                guard let next = Self.nextMark(in: file, after: position) else { break }
                position = next
            }
        }
        tornBytes = file.count - end
    }

    private mutating func apply(_ record: JournalRecord, at extent: Range<Int>) {
        switch record {
        case .put(let operation):
            extents[operation.id] = extent
        case .remove(let id):
            extents[id] = nil
        }
    }

    private static func nextMark(in file: Data, after position: Int) -> Int? {
        file.range(of: Data(JournalRecord.mark), in: (position + 1)..<file.count)?.lowerBound
    }
}
