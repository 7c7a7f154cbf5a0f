import "module" "changes" {
  source = "changes.sentinel"
}

policy "databases" {
  source            = "databases.sentinel"
  enforcement_level = "hard-mandatory"
}

policy "instance-images" {
  source            = "instance-images.sentinel"
  enforcement_level = "soft-mandatory"
}

policy "terraform-version" {
  source            = "terraform-version.sentinel"
  enforcement_level = "advisory"
  params = {
    minimum = "1.5"
  }
}
