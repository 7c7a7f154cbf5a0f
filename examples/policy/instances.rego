# What the documentation of Sentinel's tfplan/v2 import shows, in Rego.
#
#     objchange policy plan.json --rego examples/policy
package instances

# All instances in all modules.
instances[key] := rc if {
	some key, rc in input.tfplan.resource_changes
	rc.mode == "managed"
	rc.type == "aws_instance"
}

# Those in a module that are created and nothing else.
created[key] := rc if {
	some key, rc in instances
	rc.module_address == "module.foo"
	rc.change.actions == ["create"]
}

warn_instance contains rc.address if some rc in instances

warn_created contains rc.address if some rc in created

# The machine image must be known before apply.
deny_unknown_image contains msg if {
	some rc in instances
	rc.change.after_unknown.ami == true
	msg := sprintf("%s: the machine image is not known before apply", [rc.address])
}

deny_version contains msg if {
	semver.compare(input.tfplan.terraform_version, "0.12.19") < 0
	msg := sprintf("Terraform %s is too old", [input.tfplan.terraform_version])
}

# What changes, by what happens to it.
warn_change contains {"msg": concat(" and ", actions), "addresses": addresses} if {
	some rc in input.tfplan.resource_changes
	actions := rc.change.actions
	actions != ["no-op"]
	addresses := [other.address |
		some other in input.tfplan.resource_changes
		other.change.actions == actions
	]
}
