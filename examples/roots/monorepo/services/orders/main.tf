# A service of a repository with many, which calls a module of it.
variable "stage" {
  type = string
}

module "queue" {
  source = "../../modules/queue"

  name = "orders-${var.stage}"
}

module "retries" {
  source = "../../modules/queue"

  name = "retries"
  fifo = true
}
