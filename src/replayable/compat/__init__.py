"""What providers accept: rules, the rows that hold them, and the processor that applies them."""
