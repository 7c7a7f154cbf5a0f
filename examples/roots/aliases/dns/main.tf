terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.records]
    }
  }
}

variable "name" {
  type = string
}

resource "aws_route53_zone" "this" {
  provider = aws.records
  name     = "example.com"
}

resource "aws_route53_record" "this" {
  provider = aws.records

  zone_id = aws_route53_zone.this.zone_id
  name    = var.name
  type    = "A"
  ttl     = 300
  records = ["192.0.2.7"]
}
