import "module" "changes" {
  source = "../../changes.sentinel"
}

mock "tfplan/v2" {
  module {
    source = "mock-tfplan-v2.sentinel"
  }
}

test {
  rules = {
    main    = false
    private = false
    owned   = true
  }
}
