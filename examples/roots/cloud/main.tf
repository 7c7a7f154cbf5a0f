# The state is in HCP Terraform, and nothing says which workspace is selected.
terraform {
  cloud {
    organization = "acme"

    workspaces {
      tags = ["shop"]
    }
  }
}

resource "terraform_data" "workspace" {
  input = terraform.workspace
}

resource "terraform_data" "shop" {
  input = "shop"
}
