# A lock file, no `required_providers`: the resources imply their providers.
resource "random_pet" "name" {
  length = 2
}

resource "docker_container" "app" {
  name  = random_pet.name.id
  image = "nginx:1.27"

  ports {
    internal = 80
    external = 8080
  }
}
