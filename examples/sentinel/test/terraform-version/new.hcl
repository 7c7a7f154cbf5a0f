mock "tfplan/v2" {
  data = {
    terraform_version = "1.9.8"
  }
}

param "minimum" {
  value = "1.5"
}

test {
  rules = {
    main = true
  }
}
