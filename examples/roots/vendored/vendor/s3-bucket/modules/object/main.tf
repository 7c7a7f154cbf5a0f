variable "bucket" {
  type = string
}

variable "key" {
  type = string
}

resource "aws_s3_object" "this" {
  bucket = var.bucket
  key    = var.key
}
