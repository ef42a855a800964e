package syntax

import "strings"

func isNumber(s string) bool {
	s = strings.TrimLeft(s, "+-.")
	return s != "" && s[0] >= '0' && s[0] <= '9'
}

func (w *walker) conditions(n int32) {
	for ; n != 0; n = w.next(n) {
		w.condition(n)
	}
}

// Operators that begin a condition over conditions, over terms or numbers, and over time.
var (
	connectives = set("and", "or", "not", "imply", "implies")
	comparisons = set("=", "<", ">", "<=", ">=")
	trajectory  = set("always", "sometime", "within", "at-most-once", "sometime-after", "sometime-before", "always-within",
		"hold-during", "hold-after")
)

func (w *walker) condition(n int32) {
	if w.isWord(n) {
		w.see(n, Place{Where: AtCondition, Use: w.use})
		w.put(n, Other, Mention)
		return
	}
	head := w.first(n)
	if head == 0 {
		return
	}
	key := w.key(head)
	w.see(head, Place{Where: AtCondition, Head: true, Use: w.use})
	switch args := w.next(head); {
	case key == "":
		w.conditions(head)
	case connectives[key]:
		w.put(head, Operator, Mention)
		w.conditions(args)
	case key == "forall" || key == "exists":
		w.put(head, Operator, Mention)
		w.quantified(args, w.condition)
	case comparisons[key]:
		op := w.put(head, Operator, Mention)
		for i := 0; args != 0; args, i = w.next(args), i+1 {
			w.expression(args, op, i)
		}
	case key == "preference":
		w.put(head, Operator, Mention)
		if w.isWord(args) {
			w.put(args, Preference, Declare)
			args = w.next(args)
		}
		w.conditions(args)
	case w.timed(key, args):
		w.put(head, Operator, Mention)
		w.put(args, Operator, Mention)
		w.conditions(w.next(args))
	case trajectory[key] && w.overConditions(args):
		w.put(head, Operator, Mention)
		for ; args != 0; args = w.next(args) {
			if w.isWord(args) && isNumber(w.text(args)) {
				w.put(args, Number, Mention)
			} else {
				w.condition(args)
			}
		}
	default:
		w.atom(head, Predicate, w.use)
	}
}

// timed reports whether a list is (at start ...), (at end ...) or (over all ...).
func (w *walker) timed(key string, args int32) bool {
	when := w.key(args)
	return (key == "at" && (when == "start" || when == "end") || key == "over" && when == "all") && w.isList(w.next(args))
}

// overConditions reports whether the arguments of an operator of trajectories are conditions, and not those of a predicate
// with its name.
func (w *walker) overConditions(n int32) bool {
	for ; n != 0; n = w.next(n) {
		if w.isList(n) {
			return true
		}
	}
	return false
}

// quantified walks (VARIABLES) and what is below them.
func (w *walker) quantified(n int32, below func(int32)) {
	before := len(w.scope)
	if w.isList(n) {
		w.typed(w.first(n), Variable)
	} else if n != 0 {
		w.put(n, Other, Mention)
	}
	if n != 0 {
		for n = w.next(n); n != 0; n = w.next(n) {
			below(n)
		}
	}
	w.scope = w.scope[:before]
}

// atom walks a name and its arguments.
func (w *walker) atom(head int32, role Role, use Use) {
	id := w.put(head, role, use)
	for n, i := w.next(head), 0; n != 0; n, i = w.next(n), i+1 {
		w.term(n, id, i)
	}
}

// term walks an argument: an object, a variable or an object fluent.
func (w *walker) term(n, head int32, arg int) {
	if w.isList(n) {
		if c := w.first(n); c != 0 {
			w.atom(c, Function, Read)
		}
		return
	}
	w.see(n, Place{Where: AtTerm, Of: head, Arg: arg})
	switch {
	case w.text(n)[0] == '?':
		w.putArg(n, Variable, Mention, head, arg)
	default:
		w.putArg(n, Object, Mention, head, arg)
	}
}

// expression walks a numeric expression, or a side of an equation, which may be a term.
func (w *walker) expression(n, head int32, arg int) {
	if w.isWord(n) {
		text := w.text(n)
		switch {
		case isNumber(text) && !strings.HasPrefix(text, "?"):
			w.put(n, Number, Mention)
		case fold(text) == "?duration" || text[0] == '#' || fold(text) == "total-time":
			w.put(n, Operator, Mention)
		default:
			w.see(n, Place{Where: AtExpression, Of: head, Arg: arg})
			if text[0] != '?' && w.use == Goal && head < 0 {
				w.putArg(n, Function, w.use, head, arg)
				return
			}
			w.term(n, head, arg)
		}
		return
	}
	c := w.first(n)
	if c == 0 {
		return
	}
	w.see(c, Place{Where: AtExpression, Head: true, Of: head})
	switch key := w.key(c); {
	case key == "":
		w.expression(c, -1, 0)
	case key == "total-time":
		w.put(c, Operator, Mention)
	case key == "is-violated":
		w.put(c, Operator, Mention)
		w.put(w.next(c), Preference, Mention)
	case strings.Contains("+-*/", key):
		op := w.put(c, Operator, Mention)
		for c, i := w.next(c), 0; c != 0; c, i = w.next(c), i+1 {
			w.expression(c, op, i)
		}
	default:
		use := Read
		if w.use == Goal || w.use == Initial {
			use = w.use
		}
		w.atom(c, Function, use)
	}
}

var assignments = set("increase", "decrease", "assign", "scale-up", "scale-down")

func (w *walker) effect(n int32, negated bool) {
	use := Add
	if negated {
		use = Delete
	}
	if w.isWord(n) {
		w.see(n, Place{Where: AtEffect, Use: use})
		w.put(n, Other, Mention)
		return
	}
	head := w.first(n)
	if head == 0 {
		return
	}
	w.see(head, Place{Where: AtEffect, Head: true, Use: use})
	key, args := w.key(head), w.next(head)
	switch {
	case key == "":
		for ; head != 0; head = w.next(head) {
			w.effect(head, negated)
		}
	case key == "and" || key == "not":
		w.put(head, Operator, Mention)
		for ; args != 0; args = w.next(args) {
			w.effect(args, negated != (key == "not"))
		}
	case key == "forall":
		w.put(head, Operator, Mention)
		w.quantified(args, func(n int32) { w.effect(n, negated) })
	case key == "when":
		w.put(head, Operator, Mention)
		if args != 0 {
			w.condition(args)
			for args = w.next(args); args != 0; args = w.next(args) {
				w.effect(args, negated)
			}
		}
	case w.timed(key, args):
		w.put(head, Operator, Mention)
		w.put(args, Operator, Mention)
		for args = w.next(args); args != 0; args = w.next(args) {
			w.effect(args, negated)
		}
	case assignments[key]:
		op := w.put(head, Operator, Mention)
		w.assigned(args, op)
	default:
		w.atom(head, Predicate, use)
	}
}

// assigned walks the function that an effect changes, and the value.
func (w *walker) assigned(n, op int32) {
	if w.isList(n) {
		if c := w.first(n); c != 0 {
			w.see(c, Place{Where: AtExpression, Head: true, Use: Change})
			w.atom(c, Function, Change)
		}
	} else if n != 0 {
		w.see(n, Place{Where: AtExpression, Use: Change})
		w.put(n, Function, Change)
	}
	if n != 0 {
		for n = w.next(n); n != 0; n = w.next(n) {
			w.expression(n, op, 1)
		}
	}
}

// initial walks an element of the initial state.
func (w *walker) initial(n int32) {
	if w.isWord(n) {
		w.see(n, Place{Where: AtInitial})
		w.put(n, Other, Mention)
		return
	}
	head := w.first(n)
	if head == 0 {
		return
	}
	w.see(head, Place{Where: AtInitial, Head: true})
	key, args := w.key(head), w.next(head)
	switch {
	case key == "=":
		op := w.put(head, Operator, Mention)
		for i := 0; args != 0; args, i = w.next(args), i+1 {
			w.expression(args, op, i)
		}
	case key == "not" || key == "and":
		w.put(head, Operator, Mention)
		for ; args != 0; args = w.next(args) {
			w.initial(args)
		}
	case key == "at" && w.isWord(args) && isNumber(w.text(args)) && w.isList(w.next(args)):
		w.put(head, Operator, Mention)
		w.put(args, Number, Mention)
		w.initial(w.next(args))
	case key == "":
		for ; head != 0; head = w.next(head) {
			w.initial(head)
		}
	default:
		w.atom(head, Predicate, Initial)
	}
}
