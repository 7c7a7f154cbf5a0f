# Whether something exists depends on a variable, and others refer to the one instance.
variable "enabled" {
  type = bool
}

variable "alarm" {
  type    = bool
  default = true
}

resource "aws_db_instance" "main" {
  count = var.enabled ? 1 : 0

  identifier     = "main"
  engine         = "postgres"
  instance_class = "db.t3.micro"
}

resource "aws_cloudwatch_metric_alarm" "cpu" {
  count = var.alarm ? 1 : 0

  alarm_name = "cpu"
  namespace  = "AWS/RDS"
  dimensions = {
    DBInstanceIdentifier = one(aws_db_instance.main[*].identifier)
  }
}

output "endpoint" {
  value = try(aws_db_instance.main[0].endpoint, null)
}
