resource "terraform_data" "page" {
  for_each = fileset("${path.module}/pages", "*.html")

  input = file("${path.module}/pages/${each.key}")
}
