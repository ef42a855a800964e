begin_version
3
end_version
begin_metric
1
end_metric
4
begin_variable
var0
-1
2
Atom left(v0)
Atom left(v1)
end_variable
begin_variable
var1
-1
2
Atom right(v0)
Atom right(v1)
end_variable
begin_variable
var2
0
2
Atom both()
NegatedAtom both()
end_variable
begin_variable
var3
1
2
Atom stuck()
NegatedAtom stuck()
end_variable
0
begin_state
0
0
1
1
end_state
begin_goal
2
2 0
3 1
end_goal
2
begin_operator
press left
0
1
0 0 0 1
1
end_operator
begin_operator
press right
1
2 1
1
0 1 0 1
1
end_operator
2
begin_rule
2
0 1
1 1
2 1 0
end_rule
begin_rule
3
2 1
0 0
1 1
3 1 0
end_rule
