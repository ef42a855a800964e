package server

import (
	"encoding/json"
	"net/http"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/rltrain/oracle"
)

// The environments answer the Model Context Protocol at /mcp, as OpenEnv's servers do: JSON-RPC
// 2.0, one request a call, without sessions. The tools are questions to the oracle that change
// nothing and tell nothing of a gold plan; a reward is never given for them.

// mcpVersion is the revision of the protocol that is spoken.
const mcpVersion = "2025-06-18"

// Codes of errors of JSON-RPC 2.0.
const (
	rpcParse    = -32700
	rpcInvalid  = -32600
	rpcMethod   = -32601
	rpcParams   = -32602
	rpcInternal = -32603
)

type rpcCall struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// mcpTool is a tool and the operation of the oracle that it is.
type mcpTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	InputSchema schema `json:"inputSchema"`
	op          oracle.Op
}

var mcpTools = []mcpTool{
	{
		Name: "validate_plan", Description: "Judge a plan: whether it is valid, its cost, or the first thing that is wrong with it.",
		InputSchema: toolSchema("plan", schema{"type": "array", "items": schema{"type": "string"}, "description": "the steps, (name object object)"}),
		op:          oracle.OpValidate,
	},
	{
		Name: "next_steps", Description: "The steps that can come after a prefix of a plan, and whether the goal holds there.",
		InputSchema: toolSchema("prefix", schema{"type": "array", "items": schema{"type": "string"}, "description": "the steps so far"}),
		op:          oracle.OpMask,
	},
}

func toolSchema(name string, of schema) schema {
	return schema{
		"type": "object", "required": []string{"task", name},
		"properties": schema{"task": schema{"type": "string", "description": "a loaded task's hash or id, or a bundled task, blocksworld:3-5"}, name: of},
	}
}

// mcp answers a request of JSON-RPC. Faults are answered with status 200, as the
// protocol demands.
func (e *environment) mcp(w http.ResponseWriter, r *http.Request, body []byte) {
	var in rpcCall
	if err := rowjson.Unmarshal(body, &in, false); err != nil {
		e.rpc(w, nil, nil, &rpcError{rpcParse, err.Error()})
		return
	}
	if in.JSONRPC != "2.0" || in.Method == "" {
		e.rpc(w, in.ID, nil, &rpcError{rpcInvalid, `a request has "jsonrpc": "2.0" and a method`})
		return
	}
	if len(in.ID) == 0 { // a notification has no answer
		e.metrics.requests.WithLabelValues(e.prefix+"/mcp", "202").Inc()
		w.WriteHeader(http.StatusAccepted)
		return
	}
	switch in.Method {
	case "initialize":
		e.rpc(w, in.ID, map[string]any{
			"protocolVersion": mcpVersion, "capabilities": schema{"tools": schema{}},
			"serverInfo": schema{"name": "planproof", "version": e.oracle.About().Version},
		}, nil)
	case "ping":
		e.rpc(w, in.ID, schema{}, nil)
	case "tools/list":
		e.rpc(w, in.ID, schema{"tools": mcpTools}, nil)
	case "tools/call":
		e.mcpCall(w, r, &in)
	default:
		e.rpc(w, in.ID, nil, &rpcError{rpcMethod, "the methods are initialize, ping, tools/list and tools/call"})
	}
}

// mcpCall calls a tool: the oracle's item is the result, as text and as an object.
func (e *environment) mcpCall(w http.ResponseWriter, r *http.Request, in *rpcCall) {
	var call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := rowjson.Unmarshal(in.Params, &call, false); err != nil || len(call.Arguments) == 0 || call.Arguments[0] != '{' {
		e.rpc(w, in.ID, nil, &rpcError{rpcParams, "params have the name of a tool, and its arguments as an object"})
		return
	}
	for _, tool := range mcpTools {
		if tool.Name != call.Name {
			continue
		}
		request, err := rowjson.AppendValue(nil, map[string]any{"schema": tool.op.Schema(), "items": []json.RawMessage{call.Arguments}})
		if err != nil {
			e.rpc(w, in.ID, nil, &rpcError{rpcParams, err.Error()})
			return
		}
		reply, fault := e.oracle.Call(r.Context(), tool.op, request)
		if fault != nil {
			e.rpc(w, in.ID, nil, &rpcError{rpcInternal, fault.Error()})
			return
		}
		e.metrics.count(reply)
		var told struct {
			Items []json.RawMessage `json:"items"`
		}
		var item struct {
			Status string `json:"status"`
		}
		if rowjson.Unmarshal(reply.Body, &told, false) != nil || len(told.Items) != 1 || rowjson.Unmarshal(told.Items[0], &item, false) != nil {
			e.rpc(w, in.ID, nil, &rpcError{rpcInternal, "the oracle's answer has no item"})
			return
		}
		e.rpc(w, in.ID, map[string]any{
			"content":           []schema{{"type": "text", "text": string(told.Items[0])}},
			"structuredContent": told.Items[0], "isError": item.Status != "ok",
		}, nil)
		return
	}
	e.rpc(w, in.ID, nil, &rpcError{rpcParams, "there is no tool of this name: tools/list has them"})
}

// rpc answers a request of JSON-RPC.
func (e *environment) rpc(w http.ResponseWriter, id json.RawMessage, result any, err *rpcError) {
	answer := map[string]any{"jsonrpc": "2.0", "id": id}
	if err != nil {
		answer["error"] = err
	} else {
		answer["result"] = result
	}
	e.object(w, e.prefix+"/mcp", answer)
}
