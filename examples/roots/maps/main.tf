# One map of objects with optional attributes describes everything.
variable "buckets" {
  type = map(object({
    versioned = optional(bool, true)
    expire    = optional(number)
    tags      = optional(map(string), {})
  }))

  default = {
    logs = {
      expire = 30
    }
    site = {
      tags = {
        public = "yes"
      }
    }
  }
}

variable "prefix" {
  type = string
}

resource "aws_s3_bucket" "this" {
  for_each = var.buckets

  bucket = "${var.prefix}-${each.key}"
  tags   = each.value.tags
}

resource "aws_s3_bucket_lifecycle_configuration" "this" {
  for_each = { for name, bucket in var.buckets : name => bucket if bucket.expire != null }

  bucket = aws_s3_bucket.this[each.key].id

  rule {
    id     = "expire"
    status = "Enabled"

    expiration {
      days = each.value.expire
    }
  }
}
