"""What a model gets: recipes and summaries, pure: from documents and outputs to text within a budget."""
