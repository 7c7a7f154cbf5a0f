variables {
  name = "api"
}

mock_provider "aws" {
  mock_resource "aws_instance" {
    defaults = {
      id = "i-0123456789abcdef0"
    }
  }
}

run "two_instances" {
  command = plan

  assert {
    condition     = length(module.web) == 2
    error_message = "There must be two instances."
  }
}

run "ids_are_given_out" {
  assert {
    condition     = alltrue([for id in output.ids : startswith(id, "i-")])
    error_message = "Not the ids of instances: ${join(", ", output.ids)}."
  }
}
