"""A loop without a simulation, for tests of the commands that it is sent."""

from contextlib import suppress

from waterview.core.commands import Drop, ReplaceWater
from waterview.core.errors import InputError


class FakeLoop:
    """Keeps what it is asked, and shows the frame that it is given."""

    def __init__(self, frame):
        self.frame = frame
        self.posted = []
        self.paused = False

    def post(self, command):
        self.posted.append(command)

    def latest(self):
        return self.frame

    def drops(self):
        return [command for command in self.posted if isinstance(command, Drop)]

    def goes_on(self, frame):
        """Make the waters that were asked for, as far as they can be made, and show `frame` afterwards."""
        for command in self.posted:
            if isinstance(command, ReplaceWater):
                with suppress(InputError):
                    command.make()
        self.frame = frame
