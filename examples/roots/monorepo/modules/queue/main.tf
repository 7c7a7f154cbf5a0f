variable "name" {
  type = string
}

variable "fifo" {
  type    = bool
  default = false
}

resource "aws_sqs_queue" "this" {
  name       = var.fifo ? "${var.name}.fifo" : var.name
  fifo_queue = var.fifo
  policy     = templatefile("${path.module}/policy.json.tftpl", { name = var.name })
}

output "url" {
  value = aws_sqs_queue.this.url
}
