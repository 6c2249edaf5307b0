print("enclosure")
