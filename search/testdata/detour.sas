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
5
Atom at(v0)
Atom at(v1)
Atom at(v2)
Atom at(v3)
Atom at(v4)
end_variable
0
begin_state
0
end_state
begin_goal
1
0 4
end_goal
6
begin_operator
a
0
1
0 0 0 1
1
end_operator
begin_operator
b
0
1
0 0 0 2
4
end_operator
begin_operator
c
0
1
0 0 1 2
2
end_operator
begin_operator
d
0
1
0 0 2 3
3
end_operator
begin_operator
e
0
1
0 0 3 4
0
end_operator
begin_operator
f
0
1
0 0 1 4
7
end_operator
0
