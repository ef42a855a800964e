package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/search"
)

// certify solves a bundled task and returns the certificate.
func certify(t *testing.T, name string, opt planproof.SolveOptions) []byte {
	t.Helper()
	task, err := planproof.ReadTask(name)
	if err != nil {
		t.Fatal(err)
	}
	opt.Certificate = true
	s, err := planproof.Solve(context.Background(), task, opt)
	if err != nil || s.Certificate == nil {
		t.Fatalf("%s: %v, %+v", name, err, s)
	}
	return s.Certificate
}

// checked runs the command on a certificate.
func checked(t *testing.T, cert []byte) (code int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.cert")
	if err := os.WriteFile(file, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code = run([]string{file}, &out, &errs)
	return code, out.String(), errs.String()
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		task string
		opt  planproof.SolveOptions
		says string
	}{
		{"blocksworld:4-17", planproof.SolveOptions{}, "holds: its plan of 10 steps costs 10, and none costs less\n"},
		{"blocksworld:4-17", planproof.SolveOptions{Search: "astar(pdb())"}, "holds: its plan of 10 steps costs 10, and none costs less\n"},
		{"blocksworld:4-17", planproof.SolveOptions{Search: "astar(blind())", Goal: "(on a b)"}, "holds: its plan of 2 steps costs 2, and none costs less\n"},
		{"blocksworld:4-17", planproof.SolveOptions{Goal: "(and (on a b) (on b a))"}, "holds: the goal can never be reached\n"},
		{"blocksworld:4-17", planproof.SolveOptions{Step: "(stack a a)"}, "holds: the step (stack a a) can never be applied\n"},
		{"blocksworld:4-17", planproof.SolveOptions{Step: "(stack A b)"}, "holds: its plan of 1 steps costs 1, and none costs less\n"},
	} {
		code, out, errs := checked(t, certify(t, c.task, c.opt))
		if code != 0 || !strings.HasPrefix(out, c.says) {
			t.Errorf("%s %+v: code %d, %s%s, want %s", c.task, c.opt, code, out, errs, c.says)
		}
	}
}

// TestEveryByte changes each byte of certificates, and mends the checksum: nothing stronger may be proven.
func TestEveryByte(t *testing.T) {
	for _, opt := range []planproof.SolveOptions{{}, {Goal: "(and (on a b) (on b a))"}, {Step: "(stack a a)"}} {
		cert := certify(t, "blocksworld:3-5", opt)
		_, want, _ := checked(t, cert)
		held := 0
		for i := range cert[:len(cert)-4] {
			bad := bytes.Clone(cert)
			bad[i] ^= 1
			binary.LittleEndian.PutUint32(bad[len(bad)-4:], crc32.Checksum(bad[:len(bad)-4], crc32.MakeTable(crc32.Castagnoli)))
			code, out, _ := checked(t, bad)
			if code != 0 {
				continue
			}
			if held++; out != want && (opt.Goal == "" && opt.Step == "") && !strings.HasPrefix(out, "holds: no plan costs less than ") {
				t.Errorf("%+v, byte %d: %q, it was %q", opt, i, out, want)
			}
		}
		if held > 200 { // digests of the texts, letters of the condition's text, bounds that are lower
			t.Errorf("%+v: %d of %d changes are not noticed", opt, held, len(cert))
		}
	}
}

// TestStepIsTheGoal: a proof that one goal is out of reach says nothing about a step that does not need it.
func TestStepIsTheGoal(t *testing.T) {
	cert := certify(t, "blocksworld:4-17", planproof.SolveOptions{Step: "(stack a a)"})
	task, err := planproof.ReadTask("blocksworld:4-17")
	if err != nil {
		t.Fatal(err)
	}
	lie := bytes.Replace(cert, []byte("(stack a a)"), []byte("(stack a b)"), 1)
	binary.LittleEndian.PutUint32(lie[len(lie)-4:], crc32.Checksum(lie[:len(lie)-4], crc32.MakeTable(crc32.Castagnoli)))
	if code, out, _ := checked(t, lie); code != 1 || !strings.Contains(out, "refused: step (stack a b): it may apply where") {
		t.Errorf("code %d, %s", code, out)
	}
	if v, err := planproof.CheckCertificate(context.Background(), task, bytes.NewReader(lie), 0); err != nil || v.Holds {
		t.Errorf("%+v, %v: with the PDDL it is refused, too", v, err)
	}
	s, err := planproof.Solve(context.Background(), task, planproof.SolveOptions{Step: "(stack a b)"})
	if err != nil || s.Status != search.SolvedOptimally {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestUnreadable(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(nil, &out, &errs); code != 2 || !strings.HasPrefix(errs.String(), "usage:") {
		t.Errorf("no arguments: %d %s", code, errs.String())
	}
	if code, _, errs := checked(t, []byte("PPCERT2\nwhatever")); code != 2 || !strings.Contains(errs, "of other versions") {
		t.Errorf("%d %s", code, errs)
	}
}

// TestNamesTheFile: what is wrong with a file comes after its name, once.
func TestNamesTheFile(t *testing.T) {
	whole := certify(t, "blocksworld:4-17", planproof.SolveOptions{})
	dir := t.TempDir()
	for name, content := range map[string][]byte{"empty": {}, "other": []byte("PPCERT2\nwhatever"), "short": whole[:len(whole)/2], "missing": nil} {
		file := filepath.Join(dir, name)
		if content != nil {
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out, errs bytes.Buffer
		if code := run([]string{file}, &out, &errs); code != 2 || strings.Count(errs.String(), file) != 1 {
			t.Errorf("%s: %d %s", name, code, errs.String())
		}
	}
}

// TestWASM builds the checker for the two kinds of WebAssembly, and runs it where node is installed.
func TestWASM(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for two other targets")
	}
	cert := filepath.Join(t.TempDir(), "c.cert")
	if err := os.WriteFile(cert, certify(t, "blocksworld:4-17", planproof.SolveOptions{}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"wasip1", "js"} {
		wasm := filepath.Join(t.TempDir(), target+".wasm")
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", wasm, ".")
		build.Env = append(os.Environ(), "GOOS="+target, "GOARCH=wasm")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", target, err, out)
		}
		info, err := os.Stat(wasm)
		if err != nil || info.Size() > 6<<20 {
			t.Errorf("%s: %v, %v", target, info, err)
		}
		if target != "js" {
			continue
		}
		node, err := exec.LookPath("node")
		if err != nil {
			t.Skip("node is not installed: the checker was built, not run")
		}
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		got, err := exec.Command(node, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js"), wasm, cert).CombinedOutput()
		if err != nil || !strings.HasPrefix(string(got), "holds: its plan of 10 steps costs 10, and none costs less\n") {
			t.Errorf("%v\n%s", err, got)
		}
	}
}
