// The engine from Go, over its C library:
//
//	cargo build --release -p objchange-capi
//	cd examples/go && LD_LIBRARY_PATH=../../target/release go run .
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../../crates/capi/include
#cgo LDFLAGS: -L${SRCDIR}/../../target/release -lobjchange_capi
#include <stdlib.h>
#include "objchange.h"
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"os"
	"unsafe"
)

// Schema is a schema that is read once. Goroutines may share it.
type Schema struct{ handle *C.ObjchangeSchema }

// NewSchema reads a block, or an entry of `terraform providers schema -json`.
func NewSchema(document []byte) (*Schema, error) {
	text := C.CBytes(document)
	defer C.free(text)
	var problem *C.char
	handle := C.objchange_schema_new((*C.char)(text), C.size_t(len(document)), &problem)
	if handle == nil {
		defer C.objchange_free(problem)
		return nil, fmt.Errorf("schema: %s", C.GoString(problem))
	}
	return &Schema{handle}, nil
}

// Close frees the schema.
func (s *Schema) Close() {
	C.objchange_schema_free(s.handle)
	s.handle = nil
}

// Call asks the engine: the fields of the question are those of a case for this operation.
func (s *Schema) Call(operation string, question any) (map[string]json.RawMessage, error) {
	document, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	name := C.CString(operation)
	defer C.free(unsafe.Pointer(name))
	text := C.CBytes(document)
	defer C.free(text)
	answer := C.objchange_call_with_schema(s.handle, name, (*C.char)(text), C.size_t(len(document)))
	defer C.objchange_free(answer)
	var parts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(C.GoString(answer)), &parts); err != nil {
		return nil, err
	}
	if problem, failed := parts["error"]; failed {
		return nil, fmt.Errorf("%s: %s", operation, problem)
	}
	return parts, nil
}

func run() error {
	schema, err := NewSchema([]byte(`{"attributes":{
		"id":{"type":"string","computed":true},
		"size":{"type":"number","optional":true}}}`))
	if err != nil {
		return err
	}
	defer schema.Close()
	answer, err := schema.Call("plan_change", map[string]any{
		"prior":  nil,
		"config": map[string]any{"id": nil, "size": 10},
	})
	if err != nil {
		return err
	}
	fmt.Println(string(answer["change"]))
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
