# The state is in a bucket, and so are the outputs of another configuration.
terraform {
  backend "s3" {
    bucket = "acme-terraform"
    key    = "shop/terraform.tfstate"
    region = "eu-west-1"
  }
}

data "terraform_remote_state" "network" {
  backend = "s3"

  config = {
    bucket = "acme-terraform"
    key    = "network/terraform.tfstate"
    region = "eu-west-1"
  }
}

resource "aws_instance" "web" {
  ami           = "ami-0c94855ba95c71c99"
  instance_type = "t3.micro"
  subnet_id     = data.terraform_remote_state.network.outputs.subnet_id
}

resource "terraform_data" "release" {
  input = "2026.11"
}
