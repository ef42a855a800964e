// Package world runs planning tasks for prompts, grades and masks: a World has the states of a task as
// sets of facts, "(on a b)", the steps that can be taken, and their outcome. Solve, Judge, WithGoal
// and WithState are what else these need of a task.
package world
