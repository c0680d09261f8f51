// Re-exports Foundation and its networking types, which are part of the public signatures. NetSystem has no public declarations.
@_exported public import NetSystem
