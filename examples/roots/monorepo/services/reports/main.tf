# Another service, whose queues are given as a map.
variable "queues" {
  type = map(object({
    fifo = optional(bool, false)
  }))
}

module "queues" {
  source   = "../../modules/queue"
  for_each = var.queues

  name = each.key
  fifo = each.value.fifo
}
