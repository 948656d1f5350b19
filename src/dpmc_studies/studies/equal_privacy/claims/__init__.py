"""The claims of the Huber paper at an equal total budget, and our own: what judges them."""
