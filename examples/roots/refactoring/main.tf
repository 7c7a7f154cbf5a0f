# Addresses have changed since the last apply, and one object was made by hand.
moved {
  from = terraform_data.old
  to   = terraform_data.new
}

removed {
  from = terraform_data.gone

  lifecycle {
    destroy = false
  }
}

import {
  to = aws_s3_bucket.site
  id = "acme-site"
}

resource "terraform_data" "new" {
  input = "kept"
}

resource "aws_s3_bucket" "site" {
  bucket = "acme-site"
}
