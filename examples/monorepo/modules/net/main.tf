variable "name" {
  type = string
}

variable "ports" {
  type    = list(number)
  default = [443]
}

resource "terraform_data" "rule" {
  for_each = toset([for port in var.ports : tostring(port)])

  input = "${var.name}:${each.key}"
}

resource "terraform_data" "banner" {
  input = file("${path.module}/banner.txt")
}
