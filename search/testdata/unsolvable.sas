begin_version
3
end_version
begin_metric
1
end_metric
3
begin_variable
var0
-1
2
Atom coin(v0)
Atom coin(v1)
end_variable
begin_variable
var1
-1
2
Atom tea(v0)
Atom tea(v1)
end_variable
begin_variable
var2
-1
2
Atom cake(v0)
Atom cake(v1)
end_variable
0
begin_state
1
0
0
end_state
begin_goal
2
1 1
2 1
end_goal
2
begin_operator
buy tea
0
2
0 0 1 0
0 1 0 1
1
end_operator
begin_operator
buy cake
0
2
0 0 1 0
0 2 0 1
1
end_operator
0
