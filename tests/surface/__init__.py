"""What users of mdmem see, as plain text files that a person reviews: help, replies, exit codes, tools, signatures."""
