print("enclosure-media")
