begin_version
3
end_version
begin_metric
1
end_metric
1
begin_variable
var0
-1
2
Atom done(v0)
Atom done(v1)
end_variable
0
begin_state
1
end_state
begin_goal
1
0 1
end_goal
1
begin_operator
nothing
1
0 1
0
3
end_operator
0
