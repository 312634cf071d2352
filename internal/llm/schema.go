package llm

import "encoding/json"

// constraint is what of a request holds the answer to a schema. Empty, it is left out.
type constraint struct {
	Format *format     `json:"response_format,omitempty"`
	Tools  []tool      `json:"tools,omitempty"`
	Choice *toolChoice `json:"tool_choice,omitempty"`
}

// format is the response format of chat completions.
type format struct {
	Type   string     `json:"type"`
	Schema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// tool is one of messages, whose input is the answer.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// answerName names the schema and the tool.
const answerName = "answer"

// constraint gives what holds the answer to a schema, as the protocol has it.
func (c *Client) constraint(schema json.RawMessage) constraint {
	switch {
	case schema == nil:
		return constraint{}
	case c.opt.Protocol == Anthropic:
		return constraint{Tools: []tool{{answerName, "Takes the answer.", schema}}, Choice: &toolChoice{"tool", answerName}}
	}
	return constraint{Format: &format{"json_schema", jsonSchema{answerName, true, schema}}}
}
