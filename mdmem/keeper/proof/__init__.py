"""The proof of an answer: nothing lost, nothing invented, no negation turned, no rule changed."""
