variable "name" {
  type = string
}

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "20.8.5"

  cluster_name = var.name
}

output "name" {
  value = var.name
}

output "endpoint" {
  value = module.eks.cluster_endpoint
}
