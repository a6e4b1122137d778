// Command upstream-hpa answers inputs of the decision contract (NDJSON on standard input) with what the
// HorizontalPodAutoscaler controller of Kubernetes makes of them, one JSON line each. With -time it measures the
// controller's calculator instead.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"io"
	"os"

	"k8s.io/klog/v2"
	"plimsoll.dev/test/upstream/kubernetes/podautoscaler"
)

// maximumLine bounds one input: 64 MiB is far above what the tests write.
const maximumLine = 64 << 20

func main() {
	timing := flag.Bool("time", false, "measure the calculator")
	flag.Parse()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	answers := json.NewEncoder(out)
	if *timing {
		for _, pods := range []int{1, 10, 100, 1000} {
			must(answers.Encode(podautoscaler.Time(pods)))
		}
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), maximumLine)
	for lines.Scan() {
		input, err := podautoscaler.Read(lines.Bytes())
		if err != nil {
			must(answers.Encode(podautoscaler.Output{Error: "unreadable: " + err.Error()}))
			continue
		}
		must(answers.Encode(podautoscaler.Replay(input)))
	}
	must(lines.Err())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
