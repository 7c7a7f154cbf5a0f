package buckets_test

import data.buckets

bucket(acl) := {"tfplan": {"resource_changes": {"aws_s3_bucket.a": {
	"address": "aws_s3_bucket.a",
	"type": "aws_s3_bucket",
	"change": {"actions": ["create"], "after": {"acl": acl}, "after_full": {"acl": acl}},
}}}}

test_public if count(buckets.deny_public) == 1 with input as bucket("public-read")

test_private if count(buckets.deny_public) == 0 with input as bucket("private")

test_unknown if count(buckets.warn_unknown) == 1 with input as bucket({"$unknown": {}})
