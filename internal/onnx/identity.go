package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"
)

// Identity is all that the bits of a network's results depend on, beside its input.
type Identity struct {
	// Model is the network's name.
	Model string `json:"model"`
	// SHA256 is that of the file and, where its weights lie outside, of theirs: one hash, or several
	// with "+" between, in lower-case hexadecimal.
	SHA256 string `json:"sha256"`
	// Runtime is ONNX Runtime's version.
	Runtime string `json:"runtime"`
	// Device is "cpu" or "cuda".
	Device Device `json:"device"`
	// Processor is the architecture with the instructions that ONNX Runtime chooses its code by, or the
	// name of the graphics processor.
	Processor string `json:"processor"`
}

// String gives the identity in one line, for a basis.
func (i Identity) String() string {
	return fmt.Sprintf("%s sha256:%s onnxruntime:%s %s:%s", i.Model, i.SHA256, i.Runtime, i.Device, i.Processor)
}

// processor names the processor of this machine.
func processor() string {
	names := []string{runtime.GOARCH}
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA}, {"avx512f", cpu.X86.HasAVX512F}, {"avx512bw", cpu.X86.HasAVX512BW},
		{"avx512vnni", cpu.X86.HasAVX512VNNI}, {"avx512bf16", cpu.X86.HasAVX512BF16}, {"avxvnni", cpu.X86.HasAVXVNNI},
		{"amxint8", cpu.X86.HasAMXInt8}, {"amxbf16", cpu.X86.HasAMXBF16},
		{"asimddp", cpu.ARM64.HasASIMDDP}, {"i8mm", cpu.ARM64.HasI8MM}, {"sve", cpu.ARM64.HasSVE}, {"sve2", cpu.ARM64.HasSVE2},
	} {
		if f.has {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, "+")
}

// graphics names the first NVIDIA graphics processor as its driver lists it, or "unnamed".
func graphics() string {
	files, _ := filepath.Glob("/proc/driver/nvidia/gpus/*/information")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, "Model:"); ok {
				return strings.Join(strings.Fields(rest), "_")
			}
		}
	}
	return "unnamed"
}
