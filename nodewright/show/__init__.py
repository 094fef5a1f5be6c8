"""Pictures of what the public names return (derive/show has the grammar of pictures)."""
