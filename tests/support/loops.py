"""A loop without a simulation, for tests of the commands that it is sent."""

from contextlib import suppress

from waterview.core.commands import BeginChange, Drop, ReplaceWater
from waterview.core.errors import InputError


class FakeLoop:
    """Keeps the commands that are posted, and shows the frame that it is given.

    `begun` holds the numbers of the changes that began, which are no commands of their own.
    """

    def __init__(self, frame):
        self.frame = frame
        self.posted, self.begun = [], []
        self.paused = False

    def post(self, command):
        if isinstance(command, BeginChange):
            self.begun.append(command.number)
        else:
            self.posted.append(command)

    def latest(self):
        return self.frame

    def drops(self):
        return [command for command in self.posted if isinstance(command, Drop)]

    def goes_on(self, frame):
        """Make the requested waters as far as possible, then show `frame`."""
        for command in self.posted:
            if isinstance(command, ReplaceWater):
                with suppress(InputError):
                    command.make()
        self.frame = frame
