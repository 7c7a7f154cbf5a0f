# The modules of the registry are in a folder of the repository: see README.md beside this.
module "bucket" {
  source  = "terraform-aws-modules/s3-bucket/aws"
  version = "4.1.2"

  bucket = "acme-site"
}

module "objects" {
  source  = "terraform-aws-modules/s3-bucket/aws//modules/object"
  version = "4.1.2"

  bucket = module.bucket.s3_bucket_id
  key    = "index.html"
}
