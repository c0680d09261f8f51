// Go's net/http, with its defaults but for the number of connections, the authority, and TLS sessions that it may resume.
// It takes the same order as the other workers: see BenchKit/WorkOrder.swift.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"sync"
	"syscall"
	"time"
)

type workOrder struct {
	URL, Authority, Work, Output                     string
	ExpectedLength, Tasks, Requests, Upload, Clients int
	WarmUp, Seconds                                  float64
}

type latency struct {
	Median float64 `json:"medianMicroseconds"`
	P99    float64 `json:"p99Microseconds"`
}

type footprint struct {
	Threads        int `json:"threads"`
	Descriptors    int `json:"descriptors"`
	Bytes          int `json:"bytes"`
	BytesPerClient int `json:"bytesPerClient"`
}

type score struct {
	Requests   int        `json:"requests"`
	Seconds    float64    `json:"seconds"`
	CPUSeconds float64    `json:"cpuSeconds"`
	PeakBytes  int        `json:"peakBytes"`
	Latency    *latency   `json:"latency,omitempty"`
	Footprint  *footprint `json:"footprint,omitempty"`
}

var (
	order workOrder
	body  []byte
	roots = x509.NewCertPool()
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-go:", err)
		os.Exit(1)
	}
}

func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		MaxIdleConns:        order.Tasks + 1,
		MaxIdleConnsPerHost: order.Tasks,
		ForceAttemptHTTP2:   true,
		TLSClientConfig:     &tls.Config{RootCAs: roots, ClientSessionCache: tls.NewLRUClientSessionCache(0)},
	}}
}

// Returns the response of an accepted request when its head is there.
func begin(client *http.Client) *http.Response {
	method, content := http.MethodGet, io.Reader(nil)
	if order.Upload > 0 {
		method, content = http.MethodPost, bytes.NewReader(body)
	}
	request, err := http.NewRequest(method, order.URL, content)
	check(err)
	response, err := client.Do(request)
	check(err)
	if response.StatusCode != 200 {
		check(fmt.Errorf("status %d", response.StatusCode))
	}
	return response
}

// Reads the body into memory that has its size from the start: io.ReadAll would copy it many times.
func finish(response *http.Response) {
	data := make([]byte, max(0, int(response.ContentLength)))
	_, err := io.ReadFull(response.Body, data)
	check(err)
	rest, err := io.ReadAll(response.Body)
	check(err)
	check(response.Body.Close())
	if length := len(data) + len(rest); length != order.ExpectedLength {
		check(fmt.Errorf("a body of %d bytes, not %d", length, order.ExpectedLength))
	}
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func cpu() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}

// A number in /proc/self/status.
func status(field string) (value int) {
	text, err := os.ReadFile("/proc/self/status")
	check(err)
	for _, line := range bytes.Split(text, []byte("\n")) {
		if bytes.HasPrefix(line, []byte(field+":")) {
			fmt.Sscan(string(line[len(field)+1:]), &value)
		}
	}
	return
}

// Each task sends its next request when it has the answer to the last one. Returns the number of responses.
func run(client *http.Client, seconds float64) (total int) {
	deadline := time.Now().Add(duration(seconds))
	counts := make([]int, order.Tasks)
	var tasks sync.WaitGroup
	for task := range counts {
		tasks.Add(1)
		go func(count *int) {
			defer tasks.Done()
			done := 0
			for share := order.Requests / order.Tasks; ; {
				finish(begin(client))
				done++
				if share > 0 && done >= share || share == 0 && !time.Now().Before(deadline) {
					break
				}
			}
			*count = done
		}(&counts[task])
	}
	tasks.Wait()
	for _, count := range counts {
		total += count
	}
	return
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

func main() {
	check(json.Unmarshal([]byte(os.Args[len(os.Args)-1]), &order))
	authority, err := os.ReadFile(order.Authority)
	check(err)
	roots.AppendCertsFromPEM(authority)
	body = make([]byte, order.Upload)
	client := newClient()
	var result score
	if order.Work != "clients" && order.Work != "download" && order.Requests == 0 {
		run(client, order.WarmUp)
	}
	if order.Work == "idle" {
		time.Sleep(200 * time.Millisecond)
	}
	began, cpuBegan := time.Now(), cpu()
	switch order.Work {
	case "requests":
		result.Requests = run(client, order.Seconds)
	case "idle":
		time.Sleep(duration(order.Seconds))
	case "firstByte":
		var latencies []float64
		for start := began; start.Sub(began) < duration(order.Seconds); start = time.Now() {
			response := begin(client)
			latencies = append(latencies, float64(time.Since(start))/1e3)
			finish(response)
		}
		sort.Float64s(latencies)
		count := len(latencies)
		result.Requests, result.Latency = count, &latency{latencies[count/2], latencies[count*99/100]}
	case "clients":
		var clients []*http.Client
		first := 0
		for len(clients) < order.Clients {
			next := newClient()
			finish(begin(next))
			clients = append(clients, next)
			if len(clients) == 1 {
				first = status("VmRSS") * 1024
			}
		}
		time.Sleep(200 * time.Millisecond)
		files, err := os.ReadDir("/proc/self/fd")
		check(err)
		bytes := status("VmRSS") * 1024
		// One of the files is that of the listing.
		result.Footprint = &footprint{status("Threads"), len(files) - 1, bytes, (bytes - first) / max(1, len(clients)-1)}
		result.Requests = len(clients)
	case "download":
		file, err := os.Create(order.Output)
		check(err)
		response := begin(client)
		_, err = io.Copy(file, response.Body)
		check(err)
		check(file.Close())
		result.Requests = 1
	}
	result.Seconds, result.CPUSeconds = time.Since(began).Seconds(), cpu()-cpuBegan
	result.PeakBytes = status("VmHWM") * 1024
	check(json.NewEncoder(os.Stdout).Encode(result))
}
