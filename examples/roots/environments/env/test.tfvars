environment = "test"
instances   = 1
