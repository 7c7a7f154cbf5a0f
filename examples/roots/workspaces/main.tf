# One configuration for several workspaces.
locals {
  sizes = {
    default = "t3.micro"
    prod    = "m6i.large"
  }
  size = lookup(local.sizes, terraform.workspace, "t3.small")
}

resource "aws_instance" "app" {
  count = terraform.workspace == "prod" ? 3 : 1

  ami           = "ami-0c94855ba95c71c99"
  instance_type = local.size

  tags = {
    Name = "app-${terraform.workspace}-${count.index}"
  }
}

resource "terraform_data" "size" {
  input = local.size
}
