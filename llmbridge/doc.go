// Package llmbridge stands between planning and language models. Its sub-packages follow a
// task to a model and the answer back:
//
//		task ─► prompt ──► model ──► answer ─► extract ─► plan, state, verdict ─► grade
//		          │          ▲                               │
//		          │      constrain (grammars, step masks)    ▼
//		          └──────────────────◄── feedback ◄── the judge's verdict
//
//	  - prompt words a task, in sentences or PDDL, with worked examples and a gold answer;
//	  - constrain keeps a decoder to plans, or to the steps that can come next;
//	  - model talks to model servers, scripted models and transcripts;
//	  - extract reads the plan, state or verdict that an answer commits to;
//	  - grade decides whether an answer to a prompt is right;
//	  - feedback words a verdict for the model, and repairs plans;
//	  - eval runs models over tasks and counts; treesearch searches with a model as its guide.
package llmbridge
