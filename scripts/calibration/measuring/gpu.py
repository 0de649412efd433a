"""Runs the worker (tb/silicon/device/worker.py) and collects its messages, even if it breaks down."""
import json
import pathlib
import queue
import subprocess
import sys
import threading

WORKER = pathlib.Path(__file__).resolve().parents[3] / "tb/silicon/device/worker.py"
SILENCE = 60  # seconds without a message after which a worker counts as hung
IN_A_ROW = 8  # after this many broken workers in a row without a figure, the GPU is at fault, not the benchmarks


class GpuError(Exception):
    """There is no GPU, or its driver does not work."""


class _Worker:
    """A process and the lines that it writes."""

    def __init__(self, order):
        self.process = subprocess.Popen([sys.executable, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.close()
        self._lines = queue.Queue()
        self._errors = []
        self._readers = [threading.Thread(target=self._read, args=(self.process.stdout, self._lines.put), daemon=True),
                         threading.Thread(target=self._read, args=(self.process.stderr, self._errors.append), daemon=True)]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream, take):
        for line in stream:
            take(line)
        take(None)

    def messages(self, silence):
        """Its messages, until it ends or is silent for `silence` seconds; then it is ended."""
        try:
            while (line := self._lines.get(timeout=silence)) is not None:
                yield json.loads(line)
        except queue.Empty:
            self._errors.insert(0, f"no end within {silence} s")
        except ValueError:
            self._errors.insert(0, f"not a message of the worker: {line.strip()}")
        finally:
            self.process.kill()
            self.process.wait()
            for reader, stream in zip(self._readers, (self.process.stdout, self.process.stderr)):
                reader.join()
                stream.close()

    def why(self):
        """Why it has ended, in one line."""
        lines = [line.strip() for line in self._errors if line and line.strip()]
        if lines and lines[0].startswith(("no end", "not a message")):
            return lines[0]
        return lines[-1] if lines else f"the process ended with status {self.process.returncode}"


def query():
    """The driver's information about the GPU."""
    worker = _Worker({"binaries": {}, "benchmarks": [], "runs": 0})
    for message in list(worker.messages(SILENCE)):
        if "device" in message:
            return message["device"]
        if "no_device" in message:
            raise GpuError(message["no_device"])
    raise GpuError(f"the GPU cannot be used: {worker.why()}")


def measure(names, binaries, runs, silence=SILENCE):
    """Messages of the worker about the benchmarks and the device. If it breaks down, the benchmark under way has failed, and
    another worker continues after it."""
    waiting, broken = list(names), 0
    while waiting:
        if broken == IN_A_ROW:
            raise GpuError(f"given up: {IN_A_ROW} benchmarks in a row have broken off")
        broken += 1
        worker = _Worker({"binaries": {source: str(path) for source, path in binaries.items()}, "benchmarks": waiting, "runs": runs})
        under_way, started = None, False
        for message in worker.messages(silence):
            if "no_device" in message:
                raise GpuError(message["no_device"])
            started = started or "device" in message
            if "begins" in message:
                under_way = message["begins"]
                continue
            if "name" in message:
                waiting.remove(message["name"])
                under_way = None
                broken = 0 if "figures" in message else broken
            yield message
        if under_way is not None:
            waiting.remove(under_way)
            yield {"name": under_way, "message": worker.why()}
        elif waiting and not started:
            raise GpuError(f"the GPU cannot be used: {worker.why()}")
