package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/pddl"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Code says what kind of thing went wrong.
type Code string

// Codes of a [Problem].
const (
	BadInput        Code = "bad_input"         // the arguments are not as the schema of the tool says, or contradict each other
	BadTask         Code = "bad_task"          // the domain or the problem has errors: Diagnostics has all of them
	UnknownTask     Code = "unknown_task"      // no bundled task or kind has this name
	NoFiles         Code = "no_files"          // files may not be read, or not this one
	Unsupported     Code = "unsupported"       // the task has a feature that this tool does not support
	BadStep         Code = "bad_step"          // the step cannot be applied, or is none of the task
	BadCertificate  Code = "bad_certificate"   // it cannot be read
	UnknownSession  Code = "unknown_session"   // closed, or never opened on this connection
	UnknownResult   Code = "unknown_result"    // dropped, or never made on this connection
	TooManySessions Code = "too_many_sessions" // of this connection
	TooLarge        Code = "too_large"         // a text, a plan or a request
	Limit           Code = "limit"             // time or memory ended it before an answer
	Busy            Code = "busy"              // all slots are taken
	Cancelled       Code = "cancelled"         // by the client
	Internal        Code = "internal"          // a bug in planproof: never an answer
)

// Problem is why a call has no answer, for an agent that can do something about it.
type Problem struct {
	Code        Code             `json:"code"`
	Message     string           `json:"message"`
	Do          string           `json:"do"` // what to do instead
	Diagnostics pddl.Diagnostics `json:"diagnostics,omitempty"`
}

// Error implements error.
func (p *Problem) Error() string { return string(p.Code) + ": " + p.Message }

func problem(code Code, do, format string, args ...any) *Problem {
	return &Problem{Code: code, Message: fmt.Sprintf(format, args...), Do: do}
}

const (
	doShorten = "send a smaller text, plan or request"
	doAsk     = "raise time_s or memory_mb up to the server's limits, or ask about a smaller task"
	doTask    = "name a bundled task (the resource planproof://domains lists the kinds), or give domain_text and problem_text"
)

// problemOf gives an error of the packages below its code.
func problemOf(ctx context.Context, err error) *Problem {
	var p *Problem
	var diags pddl.Diagnostics
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &diags):
		code, do := BadTask, "mend the places that diagnostics names, then call check"
		for _, d := range diags {
			if d.Severity == pddl.Error && isUnsupported(d.Code) {
				code, do = Unsupported, "use validate, explain or grade, which support the most features, or leave the feature out"
			}
		}
		return &Problem{Code: code, Message: diags.Error(), Do: do, Diagnostics: diags}
	case errors.Is(err, context.Canceled) || ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled):
		return problem(Cancelled, "call again if the answer is still wanted", "the call was cancelled")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, planproof.ErrLimit):
		return problem(Limit, doAsk, "%v", err)
	case errors.Is(err, constrain.ErrStep):
		return problem(BadStep, "call applicable for the steps that can be taken here", "%v", err)
	case errors.Is(err, domains.ErrUnknown), errors.Is(err, domains.ErrParameter):
		return problem(UnknownTask, doTask, "%v", err)
	case errors.As(err, new(*taskref.PartError)):
		return problem(NoFiles, doTask, "%v", err)
	case errors.As(err, new(*planproof.Disagreement)):
		return problem(Internal, "report it: search and judge disagree, so there is no answer", "%v", err)
	}
	return problem(BadInput, "correct the arguments; the schema of the tool says what each one means", "%v", err)
}

func isUnsupported(c pddl.Code) bool {
	const prefix = "unsupported-"
	return len(c) > len(prefix) && c[:len(prefix)] == prefix
}

// result is the tool result that tells a problem.
func (p *Problem) result() *mcp.CallToolResult {
	raw := rowjson.Append(nil, p)
	text := fmt.Sprintf("error[%s]: %s\nwhat to do: %s", p.Code, p.Message, p.Do)
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: json.RawMessage(raw)}
}
