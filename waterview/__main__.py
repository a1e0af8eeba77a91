"""`python -m waterview` is `waterview`."""

from waterview.cli import main

main()
