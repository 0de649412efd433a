"""The progress of a sweep: a line that is overwritten on a terminal, else a line now and then."""

import sys
import time

# Seconds between lines that are not overwritten.
LINE_EVERY = 10.0
# Seconds between updates on a terminal.
CHANGE_EVERY = 0.2


def duration(seconds):
    """5 s, 3 min 20 s, 2 h 05 min."""
    seconds = int(seconds + 0.5)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"


def now_and_then(what, stream=sys.stderr, clock=time.monotonic):
    """A function that is called often with (done, total), and prints a line now and then."""
    last = clock()

    def told(done, total):
        nonlocal last
        if clock() - last >= LINE_EVERY:
            last = clock()
            stream.write(f"sweep: {done} of {total} {what}\n")
            stream.flush()

    return told


class Progress:
    """Counts of a sweep: `total` points, of which `done` had a result before."""

    def __init__(self, total, done, failed, stream=sys.stderr, clock=time.monotonic):
        self.total = total
        self.done = done
        self.failed = failed
        self.workers = 0
        self._before = done
        self._stream = stream
        self._clock = clock
        self._terminal = stream.isatty()
        self._start = clock()
        self._last = self._start
        self._width = 0

    def add(self, points, failed):
        """Records a result for which `points` points were waiting."""
        self.done += points
        self.failed += points if failed else 0
        self.tick()

    def line(self):
        computed = self.done - self._before
        elapsed = max(self._clock() - self._start, 1e-9)
        parts = [f"{self.done}/{self.total}"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if not self.workers:
            parts.append("waiting for workers")
        elif computed:
            rate = computed / elapsed
            parts.append(f"{rate:.2f} points/s")
            if self.done < self.total:
                parts.append(f"{duration((self.total - self.done) / rate)} left")
        if self.workers:
            parts.append(f"{self.workers} worker{'s' if self.workers != 1 else ''}")
        return "sweep: " + ", ".join(parts)

    def tick(self):
        """Shows the line when it is due."""
        if self._clock() - self._last >= (CHANGE_EVERY if self._terminal else LINE_EVERY):
            self.show()

    def show(self):
        self._last = self._clock()
        text = self.line()
        if self._terminal:
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def note(self, text):
        """Prints a message between the lines."""
        self.end()
        self._stream.write(text + "\n")
        self._stream.flush()

    def end(self):
        """Ends the terminal's line."""
        if self._terminal and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0
