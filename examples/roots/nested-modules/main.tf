# A module in the directory calls one of the registry, and passes its outputs on.
module "cluster" {
  source = "./cluster"

  name = "blue"
}

resource "helm_release" "ingress" {
  name       = "ingress"
  repository = "https://charts.example.com"
  chart      = "ingress-nginx"

  set {
    name  = "cluster"
    value = module.cluster.name
  }

  set {
    name  = "endpoint"
    value = module.cluster.endpoint
  }
}
