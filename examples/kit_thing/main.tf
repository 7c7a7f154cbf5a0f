resource "kit_thing" "web" {
  name   = "web"
  size   = 2
  secret = "hunter2"
}
