# Most of the configuration depends on what data sources read.
data "aws_caller_identity" "current" {}

data "aws_ami" "ubuntu" {
  most_recent = true
  owners      = ["099720109477"]

  filter {
    name   = "name"
    values = ["ubuntu/images/*"]
  }
}

data "aws_iam_policy_document" "read" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["arn:aws:s3:::acme-${data.aws_caller_identity.current.account_id}/*"]
  }
}

resource "aws_iam_policy" "read" {
  name   = "read"
  policy = data.aws_iam_policy_document.read.json
}

resource "aws_instance" "web" {
  ami           = data.aws_ami.ubuntu.id
  instance_type = "t3.micro"
}
