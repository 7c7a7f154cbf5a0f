module "net" {
  source = "../../modules/net"

  name = var.name
}

variable "name" {
  type = string
}
