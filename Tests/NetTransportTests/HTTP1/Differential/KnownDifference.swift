#if os(Linux)
    /// How a verdict of ours differs from a peer's.
    enum DifferenceKind: String, CaseIterable {
        case weRefuse, theyRefuse, status, body, trailers
        /// Only one of both would use the connection again.
        case weReuse, theyReuse

        static func between(_ ours: ParserVerdict?, _ theirs: ParserVerdict?) -> [DifferenceKind] {
            guard let ours, let theirs else { return ours != nil ? [.theyRefuse] : theirs != nil ? [.weRefuse] : [] }
            var kinds: [DifferenceKind] = []
            if ours.status != theirs.status { kinds.append(.status) }
            if ours.body != theirs.body { kinds.append(.body) }
            if ours.trailers != theirs.trailers { kinds.append(.trailers) }
            if ours.isReusable != theirs.isReusable { kinds.append(ours.isReusable ? .weReuse : .theyReuse) }
            return kinds
        }
    }

    /// A row of the table of differences: responses that our parser and others read differently. A comment gives the reason.
    struct KnownDifference: Sendable {
        let name: String
        /// The peers that differ, and how.
        let peers: [PeerParser: Set<DifferenceKind>]
        /// Whether a response is of this kind.
        let applies: @Sendable (ResponseText) -> Bool

        init(
            _ name: String, each peers: [PeerParser: Set<DifferenceKind>],
            applies: @escaping @Sendable (ResponseText) -> Bool
        ) { (self.name, self.peers, self.applies) = (name, peers, applies) }

        /// - Parameter peers: the peers that differ, all in the same way.
        init(
            _ name: String, _ kind: DifferenceKind, _ peers: PeerParser...,
            applies: @escaping @Sendable (ResponseText) -> Bool
        ) {
            let kinds: Set<DifferenceKind> = [kind]
            self.init(name, each: Dictionary(uniqueKeysWithValues: peers.map { ($0, kinds) }), applies: applies)
        }

        static let all = ofLengths + ofHeads + ofConnections + ofChunks
    }
#endif
