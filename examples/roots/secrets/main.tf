# Sensitive values, some of them missing.
variable "token" {
  type      = string
  sensitive = true
}

variable "password" {
  type      = string
  sensitive = true
  default   = "correct horse battery staple"
}

resource "kubernetes_secret" "app" {
  metadata {
    name      = "app"
    namespace = "shop"
  }

  data = {
    token    = var.token
    password = var.password
  }
}

resource "terraform_data" "password" {
  input = var.password
}

output "password" {
  value     = var.password
  sensitive = true
}
