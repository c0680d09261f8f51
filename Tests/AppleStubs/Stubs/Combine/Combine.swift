// OpenCombine has the API of Combine.
@_exported public import OpenCombine
