variable "name" {
  type = string
}

resource "aws_instance" "this" {
  ami           = "ami-0abcdef1234567890"
  instance_type = "t3.micro"
  tags          = { Name = var.name }
}

output "id" {
  value = aws_instance.this.id
}
