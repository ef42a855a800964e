// Package grounder turns a typed problem into a finite-domain task: variables,
// operators, axioms and mutex groups over integers (SAS+ with axioms and
// conditional effects), which is what search works on.
//
// # Data flow
//
//	pddl.Problem
//	  | normalise     conditions in negation normal form, disjunctions split,
//	  |               existential variables pulled out      normalise.go, lifted.go, undefined.go
//	  v
//	actions, rules (lifted)
//	  | reach         which atoms can become true           reach.go
//	  | enumerate     which instances can be applied        enumerate.go
//	  |                 both by joins over indexes          join.go, join_plan.go, relation.go
//	  v
//	atoms (ids), instances (tuples of objects)
//	  | invariants    which atoms exclude each other        invariants.go, balance.go, equalities.go
//	  | groups        a cover of the atoms by groups        groups.go
//	  v
//	variables
//	  | backward      instances that the goal does not depend on go, in large tasks   backward.go
//	  | axioms        rules and universal formulas, simplified   axioms.go, formula.go
//	  | operators     instances as facts                    instantiate.go, operators.go, assignment.go, costs.go
//	  | unreachable   relaxed reachability over facts       unreachable.go, sweep.go
//	  | irrelevant    what the goal does not depend on      irrelevant.go
//	  v
//	Task              finish.go; writesas.go, readsas.go, stats.go
//
// The table of stages in ground.go gives the reasons for this order.
//
// # Joins
//
// Only substitutions that match known atoms are enumerated. A relation keeps its tuples
// flat in the order of their discovery; an index chains those that agree on some
// columns:
//
//	rows    a b | a c | b c | a d           tuples 0 1 2 3
//	first   a: 0   b: 2                     index on column 0
//	next    1, 3, -, -                      chain of a: 0 1 3
//
// A rule is compiled, for each of its atoms that a new tuple may match, to a program of
// scans and tests (join.go). Since chains are in the order of discovery, "only tuples
// before this one" is a bound on the chain, so that each combination of atoms is found
// once. Most of the speed comes from what is not enumerated: parts of a rule that share
// no variable with its effects are only tested for a solution, and a branch ends as
// soon as the effects it leads to are known. An action with six parameters over a
// hundred objects and an unreachable precondition costs nothing.
//
// # Threads
//
// Several threads work side by side (Options.Threads) where a stage looks at many
// instances or operators: each takes a piece, and what it makes is put in its place in
// the order of the pieces (internal/inorder). So the task is the same for any number of
// threads. Reaching atoms, and choosing variables, take one thread. crew.go has the rest.
//
// # What becomes of each construct
//
//   - Static atoms, equalities and comparisons of static fluents are evaluated.
//   - "or", "imply" and "exists" outside "forall" split actions, rules and conditional
//     effects into alternatives with additional parameters.
//   - "forall" is written out for each instance when static atoms are known. The rest is
//     mostly a conjunction of literals and needs no axiom (Fast Downward makes one for
//     each). If disjunctions remain, a negated derived atom "violated" stands for all of
//     them; in bodies of axioms each disjunction becomes a derived atom of its own, used
//     positively, so that no negation enters a recursion.
//   - A condition that reads an undefined value is unknown. Preconditions, goals and
//     bodies of axioms do not hold then; that each effect condition is known becomes
//     part of the precondition (undefined.go).
//   - Object fluents become predicates with the value as last argument, and a mutex group
//     for each fluent (objects.go).
//   - Conditional effects stay. Adds win over deletes: a delete carries the negation
//     of the adds on its variable as a condition, so effects that fire together
//     never disagree and their order does not matter.
//   - Derived predicates stay as axioms over binary variables, with layers.
//   - A goal that is not a conjunction of literals becomes a derived atom; an atom that
//     the goal requires to be false gets a variable of its own.
//   - A negative condition on an atom that shares a variable with others is a choice of
//     the other values, and multiplies operators; if that would be too many, a derived
//     atom mirrors the atom.
//   - Increases of the fluents in the metric are costs, exact rationals until all
//     are known and can be divided by their largest common unit. Other numeric
//     effects only matter through undefined values they read; a fluent that an
//     action changes must not be read in a condition or expression.
//
// # Soundness
//
// Everything left out has a reason that holds in every reachable state: an atom that is
// unreachable even without deletes (over atoms, then over facts), a mutex group, or
// irrelevance to the goal. Invariants are rejected when in doubt. The property tests
// walk random tasks in parallel by PDDL's definition and by the ground task.
//
// Sources: Helmert, Concise finite-domain representations for PDDL planning tasks,
// AIJ 173 (2009); Helmert, The Fast Downward planning system, JAIR 26 (2006); the
// order of variables, the cover and the file format agree with Fast Downward's
// translator so that the two can be compared fact by fact.
package grounder
