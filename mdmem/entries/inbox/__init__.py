"""The inbox: entries without room, proposed changes, and corrections of lines that no longer hold."""
