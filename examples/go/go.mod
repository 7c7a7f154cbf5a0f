module example.com/objchange

go 1.21
