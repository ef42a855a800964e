module planproof

go 1.26.8
