#if os(Linux)
    import NetSystem
    import TestLab
    import Testing

    struct ProcessLogTests {
        /// Nothing else may write to standard error meanwhile.
        @Test(.ownProcess) func standardErrorThatCannotBeWrittenDoesNotEndTheProcess() async {
            await #expect(processExitsWith: .success) {
                let full = open("/dev/full", O_WRONLY)
                #expect(full >= 0 && dup2(full, STDERR_FILENO) >= 0)
                ProcessLog.write("a remark")
            }
        }
    }
#endif
