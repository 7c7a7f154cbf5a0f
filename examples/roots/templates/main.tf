# Files of the directory are read while planning.
variable "hosts" {
  type    = list(string)
  default = ["a.example.com", "b.example.com"]
}

locals {
  settings = yamldecode(file("${path.module}/settings.yaml"))
}

resource "local_file" "hosts" {
  filename = "${path.module}/hosts.txt"
  content  = templatefile("${path.module}/hosts.tftpl", { hosts = var.hosts })
}

resource "aws_ssm_parameter" "each" {
  for_each = local.settings

  name  = "/app/${each.key}"
  type  = "String"
  value = each.value
}
