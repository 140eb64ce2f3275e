"""The journey of a pack: gathers what its recipe asks for, opening no more than that, for the pure packer."""
