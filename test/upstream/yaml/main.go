// Reads files as kubectl does, and answers what it would apply, as JSON. In: texts, each behind its length (4 bytes).
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

type answer struct {
	Docs []json.RawMessage `json:"docs"`
	Err  string            `json:"err,omitempty"`
}

func read(b []byte) (out answer) {
	defer func() {
		if r := recover(); r != nil {
			out.Err = "panic"
		}
	}()
	r := transform.NewReader(bytes.NewReader(b), unicode.BOMOverride(unicode.UTF8.NewDecoder()))
	d := yaml.NewYAMLOrJSONDecoder(r, 4096)
	for {
		ext := runtime.RawExtension{}
		if err := d.Decode(&ext); err != nil {
			if err == io.EOF {
				return
			}
			out.Err = err.Error()
			return
		}
		raw := bytes.TrimSpace(ext.Raw)
		if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
			continue
		}
		out.Docs = append(out.Docs, append(json.RawMessage{}, raw...))
	}
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	for {
		var n uint32
		if err := binary.Read(in, binary.BigEndian, &n); err != nil {
			return
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(in, b); err != nil {
			return
		}
		a, err := json.Marshal(read(b))
		if err != nil {
			a = []byte(`{"err":"marshal"}`)
		}
		out.Write(a)
		out.WriteByte('\n')
	}
}
