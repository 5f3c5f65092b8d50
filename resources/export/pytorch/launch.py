# SPDX-License-Identifier: Apache-2.0
"""Loads kernel.ptx with the CUDA driver and launches it on PyTorch's current stream. What a shape needs is worked out once for each thread."""
import ctypes
import threading

import torch

from .plan import PlanError

_MAX_DYNAMIC_SHARED, _CARVEOUT, _NON_PORTABLE_CLUSTER = 8, 9, 14  # CUfunction_attribute
_COOPERATIVE, _CLUSTER = 2, 4                                     # CUlaunchAttributeID

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
          "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool,
          "u16": getattr(torch, "uint16", None), "u32": getattr(torch, "uint32", None),
          "u64": getattr(torch, "uint64", None), "e4m3": getattr(torch, "float8_e4m3fn", None), "e5m2": getattr(torch, "float8_e5m2", None)}


class _Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint32 * 16)]


class _Config(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(_Attribute)), ("count", ctypes.c_uint)]


class _Launch:
    """One launch for one shape: the driver's structures, with places for the stream and the addresses of tensors."""

    def __init__(self, driver, function, planned):
        self.driver, self.function = driver, function
        wanted = []
        if planned["cooperative"]:
            wanted.append((_COOPERATIVE, [1]))
        if any(n != 1 for n in planned["cluster"]):
            wanted.append((_CLUSTER, planned["cluster"]))
        self.attributes = (_Attribute * max(1, len(wanted)))()
        for attribute, (kind, values) in zip(self.attributes, wanted):
            attribute.id = kind
            for i, value in enumerate(values):
                attribute.value[i] = value
        self.config = _Config((ctypes.c_uint * 3)(*planned["grid"]), (ctypes.c_uint * 3)(*planned["block"]), planned["shared"], None,
                              self.attributes, len(wanted))
        self.places, self.buffers = [], []  # (tensor, its place)
        for kind, what in planned["arguments"]:
            buffer = ctypes.c_uint64() if kind == "tensor" else ctypes.create_string_buffer(what, len(what))
            if kind == "tensor":
                self.places.append((what, buffer))
            self.buffers.append(buffer)
        self.parameters = (ctypes.c_void_p * max(1, len(self.buffers)))(*map(ctypes.addressof, self.buffers))
        self.call = driver.cuda.cuLaunchKernelEx
        self.reference = ctypes.byref(self.config)

    def __call__(self, stream, addresses):
        self.config.stream = stream
        for name, place in self.places:
            place.value = addresses[name]
        code = self.call(self.reference, self.function, self.parameters, None)
        if code:
            self.driver.check(code, "the kernel could not be launched")


class _Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.cuda.cuLaunchKernelEx.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]

    def check(self, code, what):
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"{what}: {(text.value or b'unknown error').decode()}")

    def enter(self, index):
        """The device's context on this thread: those on which autograd runs may not have one yet."""
        now = ctypes.c_void_p()
        self.check(self.cuda.cuCtxGetCurrent(ctypes.byref(now)), "the thread's context is not known")
        if not now.value:
            device = ctypes.c_int()
            self.check(self.cuda.cuDeviceGet(ctypes.byref(device), index), "the device is not there")
            self.check(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(now), device), "the device has no context")
            self.check(self.cuda.cuCtxSetCurrent(now), "the device's context cannot be used on this thread")

    def module(self, ptx):
        module, log = ctypes.c_void_p(), ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER, its size
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        code = self.cuda.cuModuleLoadDataEx(ctypes.byref(module), ptx, 2, options, values)
        self.check(code, "kernel.ptx could not be loaded" + (f" ({log.value.decode(errors='replace').strip()})" if log.value else ""))
        return module

    def function(self, module, planned):
        function = ctypes.c_void_p()
        self.check(self.cuda.cuModuleGetFunction(ctypes.byref(function), module, planned["kernel"].encode()), "the kernel is missing")
        attributes = {}
        if planned["shared"] > 48 * 1024:
            attributes[_MAX_DYNAMIC_SHARED] = planned["shared"]
        if planned["carveout"] >= 0:
            attributes[_CARVEOUT] = planned["carveout"]
        if planned["cluster"][0] * planned["cluster"][1] * planned["cluster"][2] > 8:
            attributes[_NON_PORTABLE_CLUSTER] = 1
        for attribute, value in attributes.items():
            self.check(self.cuda.cuFuncSetAttribute(function, attribute, value), "this device cannot run the kernel")
        return function


class _Prepared:
    """What one thread needs for one shape on one device."""

    def __init__(self, launcher, device, plan, sizes):
        self.device = device
        self.fixed = launcher.fixed(device)  # held: what they point to
        self.addresses = {name: tensor.data_ptr() for name, tensor in self.fixed.items()}  # the caller writes those of the inputs
        self.outputs = [self._made(t, plan, sizes) for t in plan.outputs]
        self.temporaries = [self._made(t, plan, sizes) for t in plan.temporaries]
        module = launcher.module(device)
        self.launches = [_Launch(launcher.driver, launcher.driver.function(module, p), p) for p in plan.launches(sizes)]

    def _made(self, tensor, plan, sizes):
        """Its name, and what makes it on the current device."""
        shape, dtype = tuple(plan.shape(tensor, sizes)), DTYPES[tensor["dtype"]]
        if tensor["name"] in plan.data["zeroed"]:
            return tensor["name"], lambda: torch.zeros(shape, dtype=dtype, device=self.device)
        strides = torch.empty(shape, device="meta").stride()
        return tensor["name"], lambda: _empty_strided(shape, strides, dtype)

    def run(self, index):
        if _current_device() != index:
            with torch.cuda.device(index):
                return self._run(index)
        return self._run(index)

    def _run(self, index):
        addresses, made = self.addresses, []
        for name, make in self.outputs:
            tensor = make()
            addresses[name] = tensor.data_ptr()
            made.append(tensor)
        kept = []
        for name, make in self.temporaries:
            tensor = make()
            addresses[name] = tensor.data_ptr()
            kept.append(tensor)
        stream = _current_stream(index)
        for launch in self.launches:
            launch(stream, addresses)
        return made[0] if len(made) == 1 else tuple(made)


# PyTorch's own ways without the objects around them, as its compiler's output uses them; else the public ones.
_current_device = getattr(torch._C, "_cuda_getDevice", None) or torch.cuda.current_device
_current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (lambda index: torch.cuda.current_stream(index).cuda_stream)
_empty_strided = getattr(torch._C._dynamo.guards, "_empty_strided_cuda", None) or (
    lambda shape, strides, dtype: torch.empty_strided(shape, strides, dtype=dtype, device="cuda"))


class Launcher:
    def __init__(self, plan, ptx):
        self.plan, self.ptx = plan, ptx
        self.driver = None
        self.modules, self.constants = {}, {}  # by device
        self.lock = threading.Lock()
        self.local = threading.local()  # the places for addresses belong to one thread

    def module(self, device):
        with self.lock:
            if self.driver is None:
                self.driver = _Driver()
            self.driver.enter(device.index)
            if device.index not in self.modules:
                have, wanted = torch.cuda.get_device_capability(device), self.plan.data["architecture"]
                number = int(wanted[3:].rstrip("af"))
                fits = have == divmod(number, 10) if wanted[-1] == "a" else have >= divmod(number, 10)
                if not fits:
                    raise RuntimeError(f"this kernel is for {wanted}; the device has compute capability {have[0]}.{have[1]}")
                with torch.cuda.device(device):
                    torch.cuda.current_stream().synchronize()  # makes the device's context
                    self.modules[device.index] = self.driver.module(self.ptx)
            return self.modules[device.index]

    def fixed(self, device):
        """The plan's fixed inputs on this device, by name."""
        with self.lock:
            if device.index not in self.constants:
                self.constants[device.index] = {
                    t["name"]: torch.frombuffer(self.plan.bytes_of(t), dtype=DTYPES[t["dtype"]]).to(device) for t in self.plan.fixed}
            return self.constants[device.index]

    def known(self):
        try:
            return self.local.known
        except AttributeError:
            self.local.known = {}
            return self.local.known

    def prepare(self, device, key, sizes, known=None):
        """Kept in `known`, else among this thread's own."""
        known = self.known() if known is None else known
        if len(known) >= 256:  # shapes that never come again
            known.clear()
        with torch.cuda.device(device):
            known[key] = _Prepared(self, device, self.plan, sizes)
        return known[key]


__all__ = ["DTYPES", "Launcher", "PlanError"]
