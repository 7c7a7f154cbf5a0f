mock "tfplan/v2" {
  data = {
    terraform_version = "1.4.6"
  }
}

param "minimum" {
  value = "1.5"
}

test {
  rules = {
    main = false
  }
}
