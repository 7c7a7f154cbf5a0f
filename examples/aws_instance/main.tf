variable "name" {
  type    = string
  default = "web"
}

variable "ports" {
  type    = list(number)
  default = [80, 443]
}

locals {
  tags = { Name = upper(var.name), Ports = join(",", var.ports) }
}

resource "aws_instance" "web" {
  count         = 1
  ami           = "ami-2"
  instance_type = "t3.micro"
  subnet_id     = aws_subnet.main.id
  tags          = local.tags

  lifecycle {
    ignore_changes = [tags["Name"]]
  }
}
