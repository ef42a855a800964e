// Package world runs planning tasks for those who tell them: a World has the states of a task as
// sets of facts, "(on a b)", the steps that can be taken, and their outcome. Solve, Judge, WithGoal
// and WithState are the other things that prompts, grades and masks need of a task.
package world
