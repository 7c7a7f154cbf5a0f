# Two configurations of one provider, one of which a module gets.
terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  region = "eu-west-1"
}

provider "aws" {
  alias  = "us"
  region = "us-east-1"
}

resource "aws_acm_certificate" "site" {
  provider = aws.us

  domain_name       = "www.example.com"
  validation_method = "DNS"
}

module "dns" {
  source = "./dns"

  providers = {
    aws.records = aws.us
  }

  name = "www"
}
