"""Read what people type: conditions, fields, names, values, JSON, answers to questions."""
