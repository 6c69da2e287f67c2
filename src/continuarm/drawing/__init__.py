"""What an arm looks like: its bodies, their colours, from where one looks, and pictures of them."""
