package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
)

// ReadResponses reads a response file: JSON Lines with a task and a response each, or a
// PlanBench result file (one object with "instances"). Rows without an answer are skipped
// and counted: PlanBench's files hold prompts that were never sent.
// The error names all bad rows (*rowjson.Faults).
func ReadResponses(r io.Reader, opt ResponseOptions) (rows []Response, unanswered int, err error) {
	if opt.Name == "" {
		opt.Name = "responses"
	}
	in := rowjson.NewValues(r)
	var parts responseParts
	for {
		values, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		for _, v := range values {
			e := responseEntry{Value: v}
			var file resultFile
			// Most entries are rows, and need not be decoded twice.
			if v.Err == nil && bytes.Contains(v.Raw, []byte(`"instances"`)) && rowjson.Unmarshal(v.Raw, &file, false) == nil && file.Instances != nil {
				file.entry = &e
				for i, inst := range file.Instances {
					parts.add(responseEntry{Value: rowjson.Value{Raw: inst}, file: &file, number: i + 1}, opt)
				}
				continue
			}
			parts.add(e, opt)
		}
	}
	rows, unanswered, faults := parts.join(opt)
	if err := faults.Err(); err != nil {
		return nil, 0, err
	}
	return rows, unanswered, nil
}

// responseEntry is a row, or an instance of a file, and what was read of it. Its text is kept
// only where something is wrong.
type responseEntry struct {
	rowjson.Value
	file   *resultFile // nil for a row
	number int         // of an instance
	resp   Response
	ok     bool // it has an answer
}

// fault adds what is wrong with the entry.
func (e *responseEntry) fault(f *rowjson.Faults, name string) {
	if e.file == nil {
		f.Add(name, e.Line, e.Col, e.Raw, e.Err)
		return
	}
	// The instance's text again, in the file's: places are counted from there.
	whole := e.file.entry
	from := instanceAt(whole.Raw, e.number-1)
	f.AddWithin(name, whole.Line, whole.Col, whole.Raw, from, e.Raw, rowjson.Prefix(fmt.Sprintf("instance %d: ", e.number), e.Err))
}

// instanceAt returns the byte where an instance begins in the text of a result file.
func instanceAt(text []byte, number int) int {
	in := rowjson.NewTokens(string(text))
	if _, _, _, err := in.Next(); err != nil {
		return 0
	}
	for in.More() {
		name, _, _, err := in.Next()
		if err != nil {
			return 0
		}
		if name != "instances" {
			if _, _, err := in.Skip(); err != nil {
				return 0
			}
			continue
		}
		if _, _, _, err := in.Next(); err != nil {
			return 0
		}
		for i := 0; in.More(); i++ {
			from, _, err := in.Skip()
			if err != nil {
				return 0
			}
			if i == number {
				return from
			}
		}
		return 0
	}
	return 0
}

// responseParts reads entries on all processors while more of them come in.
type responseParts struct {
	parts [][]responseEntry
	last  []responseEntry // not being read yet
	busy  chan struct{}
	work  sync.WaitGroup
}

// partSize is the number of entries that are read in one go.
const partSize = 128

func (p *responseParts) add(e responseEntry, opt ResponseOptions) {
	if p.last = append(p.last, e); len(p.last) == partSize {
		p.start(opt)
	}
}

// start begins to read the last part, once a processor is free.
func (p *responseParts) start(opt ResponseOptions) {
	if p.busy == nil {
		p.busy = make(chan struct{}, runtime.GOMAXPROCS(0))
	}
	part := p.last
	p.parts, p.last = append(p.parts, part), nil
	p.busy <- struct{}{}
	p.work.Go(func() {
		for i := range part {
			e := &part[i]
			if e.Err != nil {
				continue
			}
			if e.resp, e.ok, e.Err = readResponse(e.Raw, e.file, opt); e.Err == nil {
				e.Raw = nil
			}
		}
		<-p.busy
	})
}

// join waits for what is being read and returns it in order, with what is wrong.
func (p *responseParts) join(opt ResponseOptions) (rows []Response, unanswered int, faults *rowjson.Faults) {
	p.start(opt)
	p.work.Wait()
	faults = new(rowjson.Faults)
	for _, part := range p.parts {
		for i := range part {
			switch e := &part[i]; {
			case e.Err != nil:
				e.fault(faults, opt.Name)
			case e.ok:
				rows = append(rows, e.resp)
			default:
				unanswered++
			}
		}
	}
	return rows, unanswered, faults
}

// bundledTasks keeps the texts of bundled tasks that rows name.
var bundledTasks = taskref.NewResolver(taskref.Options{CacheBytes: 16 << 20})

func readResponse(raw json.RawMessage, file *resultFile, opt ResponseOptions) (Response, bool, error) {
	var row responseRow
	if _, err := rowjson.Decode(raw, &row, false); err != nil {
		return Response{}, false, err
	}
	if !utf8.Valid(raw) {
		return Response{}, false, rowjson.Errorf(rowjson.CodeJSON, "", "the row is not UTF-8")
	}
	instance, err := instanceName(row.InstanceID)
	if err != nil {
		return Response{}, false, rowjson.At(rowjson.CodeValue, "instance_id", err)
	}
	if file != nil {
		row.Engine, row.DomainName, row.TaskName = file.Engine, file.Domain, file.Task
		row.ID = instance
	}
	text, err := row.answer()
	if err != nil {
		return Response{}, false, err
	}
	if text == nil {
		return Response{}, false, nil
	}
	// A row of its own may name its task as those of score do, and no set of tasks.
	if file == nil && row.DomainFile == "" && row.DomainText == "" && domains.IsName(row.TaskName) {
		key, err := bundledTasks.Bundled(row.TaskName)
		if err != nil {
			return Response{}, false, rowjson.At(rowjson.CodeValue, "task", err)
		}
		row.DomainText, row.ProblemText, row.TaskName = key.Domain, key.Problem, ""
	}
	out := Response{
		ID: cmp.Or(row.ID, instance), Group: strings.Join(nonEmpty(cmp.Or(row.Engine, row.Model), row.DomainName, row.TaskName), " / "),
		Task: row.TaskName, Text: *text, Domain: row.DomainFile, Problem: row.ProblemFile, Ambiguous: row.Ambiguous,
		Cause: row.Disagreement, Truncated: row.Finish == "length",
	}
	if row.TaskUnsolvable != nil {
		out.UnsolvableSet, out.Unsolvable = true, *row.TaskUnsolvable
	}
	if row.Reader != "" {
		if out.Reader, err = extract.ParseKind(row.Reader); err != nil {
			return out, false, rowjson.At(rowjson.CodeValue, "reader", err)
		}
	}
	out.Extracted, out.Gold = recordedText(row.Extracted), recordedText(row.Truth)
	out.Recorded = cmp.Or(row.PlanbenchCorrect, row.LLMCorrect, row.LLMCorrectBinary, row.ActCorrect)
	if out.Recorded == nil && len(row.Correct) > 0 && rowjson.Unmarshal(row.Correct, &out.Recorded, false) != nil {
		return out, false, rowjson.Errorf(rowjson.CodeType, "correct", "correct is neither true nor false")
	}
	if err := out.place(&row, instance, opt); err != nil {
		return out, false, err
	}
	if err := out.asked(&row, file != nil); err != nil {
		return out, false, err
	}
	return out, true, nil
}

// recordedText reads a text, or a list of its lines, and returns "" for anything else.
func recordedText(raw json.RawMessage) string {
	var text string
	var lines []string
	switch {
	case len(raw) == 0:
	case rowjson.Unmarshal(raw, &text, false) == nil:
		return text
	case rowjson.Unmarshal(raw, &lines, false) == nil:
		return strings.Join(lines, "\n")
	}
	return ""
}

// place says where the task of a response is: its texts, or the names of its files.
func (out *Response) place(row *responseRow, instance string, opt ResponseOptions) error {
	switch {
	case row.DomainText != "" && row.ProblemText != "":
		out.Domain, out.Problem, out.Inline = row.DomainText, row.ProblemText, true
	case out.Domain != "" && out.Problem != "":
	case opt.Domain != "" && opt.Instances != "" && instance != "":
		out.Domain, out.Problem, out.File = opt.Domain, strings.ReplaceAll(opt.Instances, "%d", instance), true
	default:
		return rowjson.Errorf(rowjson.CodeMissing, "", "it names no task: neither domain_pddl and problem_pddl, nor domain_text and problem_text, nor a bundled task, nor --domain and --instances with an instance_id")
	}
	return nil
}

// instanceName reads the number of an instance, "" for none.
func instanceName(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	name := string(raw)
	if raw[0] == '"' {
		if err := rowjson.Unmarshal(raw, &name, false); err != nil {
			return "", err
		}
	}
	if strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '-' }) {
		return "", fmt.Errorf("instance_id %s is no number", raw)
	}
	return name, nil
}

func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

// answer returns the text of the answer, nil for none. Of a conversation it is the model's
// last message: its plan after all the feedback. The query is then the first question.
func (row *responseRow) answer() (*string, error) {
	for _, f := range []struct {
		name string
		data json.RawMessage
	}{{"raw_response", row.RawResponse}, {"llm_raw_response", row.LLMRaw}, {"response", row.Response}} {
		if len(f.data) > 0 && string(f.data) != "null" {
			text, err := extract.CompletionText(f.data)
			return &text, rowjson.At(rowjson.CodeType, f.name, err)
		}
	}
	if len(row.Messages) == 0 || string(row.Messages) == "null" {
		return nil, nil
	}
	var chat []json.RawMessage
	err := rowjson.Unmarshal(row.Messages, &chat, false)
	said := make([]struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}, len(chat))
	for i := 0; err == nil && i < len(chat); i++ {
		err = rowjson.Unmarshal(chat[i], &said[i], false)
	}
	if err != nil {
		return nil, rowjson.Errorf(rowjson.CodeType, "messages", "messages is no list of objects with role and content")
	}
	for i := len(chat) - 1; i >= 0; i-- {
		if said[i].Role != "assistant" {
			continue
		}
		text, err := extract.CompletionText(json.RawMessage("[" + string(chat[i]) + "]"))
		for k := 0; k < i && len(row.Query) == 0; k++ {
			if said[k].Role == "user" && bytes.HasPrefix(said[k].Content, []byte(`"`)) {
				row.Query = said[k].Content
			}
		}
		return &text, rowjson.At(rowjson.CodeType, "messages", err)
	}
	return nil, nil
}
