# Modules of the registry, as after `git clone`: `terraform init` has not run.
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

variable "name" {
  type = string
}

module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "~> 5.8"

  name = var.name
  cidr = "10.0.0.0/16"
  azs  = ["eu-west-1a", "eu-west-1b"]
}

resource "aws_security_group" "web" {
  name   = "${var.name}-web"
  vpc_id = module.vpc.vpc_id

  tags = {
    Tier = "web"
  }
}

output "subnets" {
  value = module.vpc.private_subnets
}
