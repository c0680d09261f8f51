// Parses the responses of standard input with net/http, and writes a verdict for each: see PeerParser.swift of the tests.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
)

func judge(data []byte, isHead bool) string {
	request := &http.Request{Method: "GET"}
	if isHead {
		request.Method = "HEAD"
	}
	reader := bufio.NewReader(bytes.NewReader(data))
	for {
		response, err := http.ReadResponse(reader, request)
		if err != nil {
			return "-"
		}
		// As http.Transport does.
		if response.StatusCode/100 == 1 && response.StatusCode != 101 {
			continue
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return "-"
		}
		reusable := 0
		if _, err := reader.Peek(1); err == io.EOF && !response.Close && response.StatusCode > 199 {
			reusable = 1
		}
		var trailers strings.Builder
		for name, values := range response.Trailer {
			for _, value := range values {
				trailers.WriteString(strings.ToLower(name) + ":" + value + "\n")
			}
		}
		return fmt.Sprintf(
			"%d %d .%s .%s", response.StatusCode, reusable, hex.EncodeToString(body), hex.EncodeToString([]byte(trailers.String())))
	}
}

func main() {
	input := bufio.NewReader(os.Stdin)
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	fmt.Fprintln(output, "net/http", strings.TrimPrefix(runtime.Version(), "go"))
	var head [5]byte
	for {
		if _, err := io.ReadFull(input, head[:]); err != nil {
			return
		}
		data := make([]byte, binary.BigEndian.Uint32(head[1:]))
		if _, err := io.ReadFull(input, data); err != nil {
			panic(err)
		}
		fmt.Fprintln(output, judge(data, head[0] == 1))
	}
}
