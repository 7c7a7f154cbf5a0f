module "net" {
  source = "../../modules/net"

  name  = "prod"
  ports = [80, 443]
}
