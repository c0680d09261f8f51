// Imports what all tests use, once for the files of this module.
@_exported public import NetClient
@_exported public import NetTesting
@_exported public import TestLab
@_exported public import Testing
