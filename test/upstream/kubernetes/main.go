// Command upstream-hpa answers inputs of the decision contract (NDJSON on standard input) with what the
// HorizontalPodAutoscaler controller of Kubernetes makes of them, one JSON line each. With -time it answers what the
// controller's calculator takes for them instead.
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
	timing := flag.Bool("time", false, "measure the calculator on each input")
	flag.Parse()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	out := bufio.NewWriter(os.Stdout)
	answers := json.NewEncoder(out)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), maximumLine)
	for lines.Scan() {
		input, err := podautoscaler.Read(lines.Bytes())
		if err != nil {
			must(answers.Encode(podautoscaler.Output{Error: "unreadable: " + err.Error()}))
		} else if *timing {
			must(answers.Encode(podautoscaler.Time(input)))
		} else {
			must(answers.Encode(podautoscaler.Replay(input)))
		}
		must(out.Flush())
	}
	must(lines.Err())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
