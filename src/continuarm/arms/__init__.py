"""What an arm is: sections, muscles, inertia models, payload; arm files, and the named arms."""
