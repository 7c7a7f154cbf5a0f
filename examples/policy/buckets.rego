# Buckets that everybody can read, and such whose policy is not known yet.
package buckets

buckets contains rc if {
	some rc in input.tfplan.resource_changes
	rc.type == "aws_s3_bucket"
	rc.change.actions != ["delete"]
}

# While the access list is unknown this rule is undecided until apply.
deny_public contains msg if {
	some rc in buckets
	rc.change.after.acl in {"public-read", "public-read-write"}
	msg := sprintf("%s can be read by everybody", [rc.address])
}

# Whether a value is unknown can be asked: the rule is decided then.
warn_unknown contains {"msg": "the access list is not known before apply", "address": rc.address} if {
	some rc in buckets
	rc.change.after_full.acl == {"$unknown": {}}
}
