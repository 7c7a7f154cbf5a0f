import "module" "changes" {
  source = "../../changes.sentinel"
}

mock "tfplan/v2" {
  data = {
    resource_changes = {}
  }
}

test {
  rules = {
    main = true
  }
}
