# Validations, preconditions, postconditions and checks.
variable "replicas" {
  type = number

  validation {
    condition     = var.replicas > 0
    error_message = "There must be a replica."
  }
}

variable "zone" {
  type    = string
  default = "eu-west-1a"

  validation {
    condition     = startswith(var.zone, "eu-")
    error_message = "Only zones of the EU."
  }
}

resource "aws_rds_cluster" "main" {
  cluster_identifier = "main"
  availability_zones = [var.zone]

  lifecycle {
    precondition {
      condition     = var.replicas < 16
      error_message = "There may be 15 replicas."
    }

    postcondition {
      condition     = self.engine == "aurora-postgresql"
      error_message = "The engine is wrong."
    }
  }
}

check "zone" {
  assert {
    condition     = endswith(var.zone, "a")
    error_message = "The zone is not the first."
  }
}
