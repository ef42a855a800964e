package server

import "github.com/planproof/planproof/rltrain/oracle"

// openAPIVersion is the version of OpenEnv's HTTP interface: its validator takes 1.x.
const openAPIVersion = "1.0.0"

// task is the schema of a task: boxnet_replan takes rows.
func (e *environment) task() schema {
	if e.kind == oracle.EnvBoxnetReplan {
		return schema{"type": "object"}
	}
	return schema{"type": "string"}
}

// openAPI describes the routes of an environment; paths are relative to where it stands.
func (e *environment) openAPI() schema {
	own := schemas[e.kind].(schema)
	ref := func(name string) schema { return schema{"$ref": "#/components/schemas/" + name} }
	answer := func(of schema) schema {
		return schema{"200": schema{"description": "OK", "content": schema{"application/json": schema{"schema": of}}}}
	}
	get := func(id, doc string, of schema) schema {
		return schema{"get": schema{"operationId": id, "summary": doc, "responses": answer(of)}}
	}
	post := func(id, doc string, body, of schema) schema {
		return schema{"post": schema{
			"operationId": id, "summary": doc, "responses": answer(of),
			"requestBody": schema{"required": true, "content": schema{"application/json": schema{"schema": body}}},
		}}
	}
	text, object := schema{"type": "string"}, schema{"type": "object"}
	server := e.prefix
	if server == "" {
		server = "/"
	}
	return schema{
		"openapi": "3.1.0",
		"info":    schema{"title": string(e.kind), "description": descriptions[e.kind], "version": openAPIVersion},
		"servers": []schema{{"url": server}},
		"paths": schema{
			"/reset": post("reset", "Begin an episode that ends with the answer; sessions are at /ws.", schema{
				"type": "object", "properties": schema{
					"seed": schema{"type": "integer"}, "episode_id": text, "task": e.task(), "spec": text, "max_steps": schema{"type": "integer"},
					"profile": object,
				},
			}, ref("Result")),
			"/step":     post("step", "Judge an action that names its task.", schema{"type": "object", "required": []string{"action"}, "properties": schema{"action": ref("Action")}}, ref("Result")),
			"/state":    get("state", "The state of no episode: sessions are at /ws.", ref("State")),
			"/schema":   get("schema", "The schemas of action, observation and state.", object),
			"/metadata": get("metadata", "The name of the environment and what it is.", object),
			"/health":   get("health", "Whether requests are taken.", object),
			"/mcp":      post("mcp", "Call a tool, in JSON-RPC 2.0.", object, object),
		},
		"components": schema{"schemas": schema{
			"Action": own["action"], "Observation": own["observation"], "State": own["state"],
			"Result": schema{
				"type": "object", "required": []string{"observation", "reward", "done"},
				"properties": schema{"observation": ref("Observation"), "reward": schema{"type": []string{"number", "null"}}, "done": schema{"type": "boolean"}},
			},
		}},
	}
}
