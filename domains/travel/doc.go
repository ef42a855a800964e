// Package travel judges itineraries in the form of TravelPlanner, and finds the cheapest ones.
//
//	tables ─► ReadWorld ─┐
//	query ──► ReadQuery ─┼─► Judge ────────────────────► Judgement: findings by rule, field and day; exact cost
//	answer ─► ReadPlan ──┤   JudgeUpstream ────────────► what TravelPlanner's evaluator answers
//	                     └─► FixedOptimum, FreeOptimum ─► Optimum: a cheapest itinerary, which Judge confirms
//	Size, seed ─► Generate ─► Trip: tables, query, optimum; Prompt puts them into words
//
// The rules C1 to C8 and H1 to H5 are stated in docs/TRAVEL.md. Money is exact, in dollars. JudgeRows,
// OptimumRows and PromptRows do this for rows of JSON Lines, in order.
package travel
