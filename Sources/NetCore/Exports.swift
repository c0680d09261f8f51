// Foundation with its networking types, for every module of this package and for every client of one: `URL`, `Data`, `URLRequest` and
// `HTTPURLResponse` are part of our signatures. NetSystem itself has no public declarations.
@_exported public import NetSystem
