# The backend gets its settings from `terraform init -backend-config=prod.tfbackend`.
terraform {
  backend "s3" {}
}

variable "environment" {
  type = string

  validation {
    condition     = contains(["test", "prod"], var.environment)
    error_message = "The environment is test or prod."
  }
}

resource "aws_s3_bucket" "logs" {
  bucket = "acme-${var.environment}-logs"
}
