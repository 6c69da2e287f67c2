"""What every room uses: checks of numbers, text of messages, files."""
