# Modules from git, one of them a folder in its repository.
module "network" {
  source = "git::https://example.com/platform/modules.git//network?ref=v1.4.0"

  cidr = "10.1.0.0/16"
}

module "labels" {
  source = "github.com/example/labels?ref=2.0.1"

  stage = "prod"
}

resource "terraform_data" "deployment" {
  input = {
    region = "eu-west-1"
    vpc    = module.network.vpc_id
  }
}

resource "terraform_data" "notice" {
  input = "deployed by Terraform"
}
