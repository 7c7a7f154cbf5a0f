environment = "prod"
instances   = 3
