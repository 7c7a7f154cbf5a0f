import "module" "changes" {
  source = "../../changes.sentinel"
}

mock "tfplan/v2" {
  data = {
    resource_changes = {
      "aws_instance.web" = {
        mode = "managed"
        type = "aws_instance"
        change = {
          actions       = ["create"]
          after         = {}
          after_unknown = { ami = true }
        }
      }
    }
  }
}

test {
  rules = {
    main = false
  }
}
