begin_version
3
end_version
begin_metric
1
end_metric
2
begin_variable
var0
-1
2
Atom lamp(v0)
Atom lamp(v1)
end_variable
begin_variable
var1
-1
2
Atom bell(v0)
Atom bell(v1)
end_variable
0
begin_state
0
0
end_state
begin_goal
2
0 1
1 1
end_goal
1
begin_operator
toggle
0
3
1 0 0 0 -1 1
1 0 1 0 -1 0
1 0 1 1 -1 1
1
end_operator
0
