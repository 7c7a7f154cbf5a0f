# Provisioners, a null resource and what replaces it.
variable "commit" {
  type = string
}

resource "null_resource" "deploy" {
  triggers = {
    commit = var.commit
  }

  provisioner "local-exec" {
    command = "deploy ${var.commit}"
  }
}

resource "terraform_data" "schema" {
  triggers_replace = [null_resource.deploy.id]

  provisioner "local-exec" {
    command = "migrate"
  }
}
