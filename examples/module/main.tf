terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "name" {
  type = string
}

module "web" {
  source = "./web"
  count  = 2
  name   = "${var.name}-${count.index}"
}

resource "terraform_data" "deployed" {
  input = module.web[*].id
}

output "ids" {
  value = module.web[*].id
}
