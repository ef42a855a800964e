// Package episode runs adaptive episodes: an agent plans for a task whose constraints come to light only where its plans
// violate them (design of AdaPlanBench, judged exactly).
//
//	task ─► Draw ─► Profile ──┐                        ┌─► Turn, Turn, ... ─► Row
//	                          ├─► Run ◄─► Agent (plan) ┤
//	constraints.Judge ────────┘                        └─► Metrics of many
//
// Every turn the whole profile is judged. If a plan cannot be carried out, or does not reach the goal, the agent learns that.
// Otherwise the violated constraints of the world are disclosed or, if there are none, those of the user.
package episode
