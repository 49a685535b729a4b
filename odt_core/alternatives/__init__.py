"""Other good trees beside the best one: near-optimal trees, and what each question could ask."""
