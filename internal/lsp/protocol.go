package lsp

import "encoding/json"

// The types of the protocol that this server uses, named as in its specification.
type (
	// Position is a line and a UTF-16 unit in it, from 0.
	Position struct {
		Line      uint32 `json:"line"`
		Character uint32 `json:"character"`
	}
	// Range goes from its start to before its end.
	Range struct {
		Start Position `json:"start"`
		End   Position `json:"end"`
	}
	// Location is a range of a document.
	Location struct {
		URI   string `json:"uri"`
		Range Range  `json:"range"`
	}
	// TextEdit replaces a range.
	TextEdit struct {
		Range   Range  `json:"range"`
		NewText string `json:"newText"`
	}
	// WorkspaceEdit changes documents, by URI.
	WorkspaceEdit struct {
		Changes map[string][]TextEdit `json:"changes"`
	}

	documentID struct {
		URI     string `json:"uri"`
		Version *int32 `json:"version,omitempty"`
	}
	documentParams struct {
		Document documentID `json:"textDocument"`
	}
	positionParams struct {
		Document documentID `json:"textDocument"`
		Position Position   `json:"position"`
	}
	rangeParams struct {
		Document documentID `json:"textDocument"`
		Range    Range      `json:"range"`
	}
	openParams struct {
		Document struct {
			URI        string `json:"uri"`
			LanguageID string `json:"languageId"`
			Version    int32  `json:"version"`
			Text       string `json:"text"`
		} `json:"textDocument"`
	}
	contentChange struct {
		Range *Range `json:"range"`
		Text  string `json:"text"`
	}
	changeParams struct {
		Document documentID      `json:"textDocument"`
		Changes  []contentChange `json:"contentChanges"`
	}
	watchParams struct {
		Changes []struct {
			URI  string `json:"uri"`
			Type int    `json:"type"`
		} `json:"changes"`
	}
	folder struct {
		URI  string `json:"uri"`
		Name string `json:"name"`
	}
	foldersParams struct {
		Event struct {
			Added   []folder `json:"added"`
			Removed []folder `json:"removed"`
		} `json:"event"`
	}
	initializeParams struct {
		RootURI *string  `json:"rootUri"`
		Folders []folder `json:"workspaceFolders"`
		Client  struct {
			Workspace struct {
				Watch struct {
					Dynamic bool `json:"dynamicRegistration"`
				} `json:"didChangeWatchedFiles"`
			} `json:"workspace"`
			Window struct {
				WorkDoneProgress bool `json:"workDoneProgress"`
			} `json:"window"`
		} `json:"capabilities"`
	}
	cancelParams struct {
		ID json.RawMessage `json:"id"`
	}

	diagnostic struct {
		Range    Range  `json:"range"`
		Severity int    `json:"severity,omitempty"`
		Code     string `json:"code,omitempty"`
		Source   string `json:"source,omitempty"`
		Message  string `json:"message"`
		Data     *hint  `json:"data,omitempty"`
	}
	// hint comes back from the client with a diagnostic whose fixes are asked for.
	hint struct {
		Hint string `json:"hint,omitempty"`
	}
	publishParams struct {
		URI         string       `json:"uri"`
		Version     *int32       `json:"version,omitempty"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup `json:"contents"`
		Range    Range  `json:"range"`
	}
	messageParams struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
	}
)

// Error codes of the protocol beside those of JSON-RPC.
const (
	codeNotInitialized = -32002
	codeRequestFailed  = -32803
	codeCancelled      = -32800
)

type object = map[string]any

// capabilities is what initialize answers.
func capabilities() object {
	return object{
		"positionEncoding":           "utf-16",
		"textDocumentSync":           object{"openClose": true, "change": 2, "save": object{"includeText": false}},
		"hoverProvider":              true,
		"definitionProvider":         true,
		"declarationProvider":        true,
		"referencesProvider":         true,
		"documentHighlightProvider":  true,
		"renameProvider":             object{"prepareProvider": true},
		"completionProvider":         object{"triggerCharacters": []string{"(", ":", "?", "-", " "}},
		"codeActionProvider":         object{"codeActionKinds": []string{"quickfix"}},
		"documentFormattingProvider": true,
		"documentSymbolProvider":     true,
		"foldingRangeProvider":       true,
		"inlayHintProvider":          object{"resolveProvider": true},
		"codeLensProvider":           object{"resolveProvider": false},
		"executeCommandProvider":     object{"commands": []string{commandSolve, commandValidate}},
		"semanticTokensProvider": object{
			"legend": object{"tokenTypes": tokenTypes, "tokenModifiers": tokenModifiers}, "full": true, "range": true,
		},
		"workspace": object{"workspaceFolders": object{"supported": true, "changeNotifications": true}},
	}
}
