"""Accesses a GPU through the driver's library, without a runtime: modules, memory, launches of one kernel at a time."""
import ctypes
import os

from .launches import contents, is_buffer

# Numbers of CUdevice_attribute.
CLOCK_RATE, SMS, MEMORY_CLOCK_RATE, L2_BYTES, MAJOR, MINOR = 13, 16, 36, 38, 75, 76
REPEATED_STORE = 0xA5


class DriverError(Exception):
    """There is no GPU, or it has rejected or aborted a call."""


def _library():
    own = os.environ.get("SMSIM_CUDA_LIBRARY")  # a replacement library, for tests
    for name in (own,) if own else ("libcuda.so.1", "libcuda.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise DriverError("there is no GPU here: the driver's library (libcuda.so.1) is not installed")


class Device:
    """The first GPU that the driver lists (CUDA_VISIBLE_DEVICES chooses), with its primary context."""

    def __init__(self):
        self._cuda = _library()
        self._call("cuInit", ctypes.c_uint(0))
        count = ctypes.c_int()
        self._call("cuDeviceGetCount", ctypes.byref(count))
        if count.value == 0:
            raise DriverError("there is no GPU here: the driver shows none")
        device = ctypes.c_int()
        self._call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
        self._device = device
        name = ctypes.create_string_buffer(256)
        self._call("cuDeviceGetName", name, ctypes.c_int(256), device)
        self.name = name.value.decode()
        self.capability = f"{self._attribute(MAJOR)}.{self._attribute(MINOR)}"
        self.sms = self._attribute(SMS)
        self.l2_bytes = self._attribute(L2_BYTES)
        self.clock_mhz = self._attribute(CLOCK_RATE, known=False) / 1000
        self.memory_clock_mhz = self._attribute(MEMORY_CLOCK_RATE, known=False) / 1000
        version = ctypes.c_int()
        self._call("cuDriverGetVersion", ctypes.byref(version))
        self.cuda = f"{version.value // 1000}.{version.value % 1000 // 10}"
        context = ctypes.c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        self._flushed = None  # memory that goes through the L2

    def _attribute(self, number, known=True):
        """An attribute; 0 if it is optional and unknown to the driver."""
        value = ctypes.c_int()
        try:
            self._call("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(number), self._device)
        except DriverError:
            if known:
                raise
            return 0
        return value.value

    def _call(self, name, *arguments):
        status = getattr(self._cuda, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self._cuda.cuGetErrorString(ctypes.c_int(status), ctypes.byref(text))
            raise DriverError(f"{name}: {text.value.decode() if text.value else f'error {status}'}")

    def module(self, path):
        """A binary in the GPU's memory."""
        module = ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(path.read_bytes()))
        return module

    def unload(self, module):
        self._call("cuModuleUnload", module)

    def allocate(self, size):
        """Address of allocated memory on the GPU."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address

    def free(self, address):
        self._call("cuMemFree_v2", address)

    def write(self, address, data):
        self._call("cuMemcpyHtoD_v2", address, ctypes.c_char_p(data), ctypes.c_size_t(len(data)))

    def read(self, address, size):
        data = ctypes.create_string_buffer(size)
        self._call("cuMemcpyDtoH_v2", data, address, ctypes.c_size_t(size))
        return data.raw

    def flush(self):
        """Evicts the contents of the L2."""
        size = 2 * max(self.l2_bytes, 1 << 20)
        if self._flushed is None:
            self._flushed = self.allocate(size)
        self._call("cuMemsetD8_v2", self._flushed, ctypes.c_ubyte(REPEATED_STORE), ctypes.c_size_t(size))

    def run(self, module, kernel, grid, block, arguments):
        """Launches a kernel and waits for its end. `arguments`: bytes of a scalar, or an address."""
        function = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(function), module, ctypes.c_char_p(kernel.encode()))
        values = [argument if isinstance(argument, ctypes.c_uint64) else ctypes.create_string_buffer(argument, len(argument))
                  for argument in arguments]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        sizes = (block,) if isinstance(block, int) else block
        x, y, z = (*sizes, 1, 1)[:3]
        unsigned = ctypes.c_uint
        self._call("cuLaunchKernel", function, unsigned(grid), unsigned(1), unsigned(1), unsigned(x), unsigned(y), unsigned(z),
                   unsigned(0), ctypes.c_void_p(), pointers, ctypes.c_void_p())
        self._call("cuCtxSynchronize")


class Loaded:
    """A launch with its buffers in the GPU's memory, to be run several times."""

    def __init__(self, device, launch, path):
        self._device, self._path = device, path
        self._launch = launch.on(device.sms)
        self._module = None if launch.fresh else device.module(path)
        self._clocks = device.allocate(4 * self._launch.clock_words())
        self._arguments, self._buffers = [self._clocks], []
        for argument in launch.arguments:
            data = contents(argument)
            if is_buffer(argument):
                address = device.allocate(max(4, len(data)))
                self._arguments.append(address)
                self._buffers.append((address, data))
                device.write(address, data)
            else:
                self._arguments.append(data)
        self._only_read = all("ring" in argument or "only_read" in argument or argument["name"] == "result"
                              for argument in launch.arguments if is_buffer(argument))

    def run(self):
        """The bytes of the clocks of one launch, with all buffers in their initial state."""
        device, launch = self._device, self._launch
        if not self._only_read:
            for address, data in self._buffers:
                device.write(address, data)
        device.write(self._clocks, bytes(4 * launch.clock_words()))
        module = self._module or device.module(self._path)
        if launch.flush:
            device.flush()
        if launch.before:
            device.run(module, launch.before, launch.grid, launch.block, self._arguments)
        device.run(module, launch.kernel, launch.grid, launch.block, self._arguments)
        if launch.fresh:
            device.unload(module)
        return launch, device.read(self._clocks, 4 * launch.clock_words())

    def free(self):
        if self._module is not None:
            self._device.unload(self._module)
        self._device.free(self._clocks)
        for address, _ in self._buffers:
            self._device.free(address)
