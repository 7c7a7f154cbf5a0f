# Variables have no defaults: each environment has a file with values.
variable "environment" {
  type = string
}

variable "instances" {
  type = number
}

variable "owners" {
  type    = list(string)
  default = ["platform"]
}

resource "aws_instance" "web" {
  count = var.instances

  ami           = "ami-0c94855ba95c71c99"
  instance_type = var.environment == "prod" ? "m6i.large" : "t3.micro"
}

resource "aws_sns_topic" "alerts" {
  name = "alerts-${var.environment}"
}

resource "terraform_data" "owners" {
  input = var.owners
}
