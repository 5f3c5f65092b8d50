# SPDX-License-Identifier: Apache-2.0
"""exported_native.py CPP_FOLDER PTX_FOLDER, run in the folder of the same candidate's export for PyTorch: tests the C++ header, built as a shared
library beside its own example, and the PTX with its plan, on PyTorch's tensors and against its reference."""
import ctypes
import importlib
import pathlib
import re
import subprocess
import sys

import torch

sys.path.insert(0, ".")
test = importlib.import_module("test_kernel")
package = importlib.import_module(next(p.parent.name for p in pathlib.Path(".").glob("*/launch.py")))
launch, plans = importlib.import_module(package.__name__ + ".launch"), importlib.import_module(package.__name__ + ".plan")
cpp, ptx = (pathlib.Path(a).resolve() for a in sys.argv[1:])

GLUE = """
#include "{header}"
struct Any {{ void* at; template <class T> operator T*() const {{ return static_cast<T*>(at); }} }};
extern "C" std::size_t room() {{ return {space}::workspace_bytes({space}::Sizes{{}}); }}
extern "C" const char* call(void** p, void* room, void* stream) {{
  static std::string why;
  try {{
    {space}::{function}({pointers}, {space}::Sizes{{}}, room, static_cast<CUstream>(stream));
    return nullptr;
  }} catch (const std::exception& e) {{ return (why = e.what()).c_str(); }}
}}
"""


def inputs():
    given = test.inputs_of(package.PLAN.data["sizes"])
    return given, given[:len(package.PLAN.inputs)]


def outputs(plan, sizes):
    return [torch.full(plan.shape(t, sizes), 77, device="cuda").to(launch.DTYPES[t["dtype"]]) for t in plan.outputs]


def test_example():
    subprocess.run(["cmake", "-B", "build", "-S", "."], cwd=cpp, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "build"], cwd=cpp, check=True, stdout=subprocess.DEVNULL)
    print(" ", subprocess.run(["build/example"], cwd=cpp, check=True, capture_output=True, text=True).stdout.strip())


def test_header():
    header = next(cpp.glob("*.h"))
    function = re.findall(r"^inline void (\w+)\(.*Sizes& sizes_", header.read_text(), re.M)[-1]
    count = len(package.PLAN.inputs) + len(package.PLAN.outputs)
    source = GLUE.format(header=header.name, space=header.stem, function=function, pointers=", ".join(f"Any{{p[{i}]}}" for i in range(count)))
    (cpp / "glue.cpp").write_text(source)
    cuda = pathlib.Path(subprocess.run("dirname $(dirname $(readlink -f $(command -v nvcc)))", shell=True, capture_output=True, text=True).stdout.strip())
    subprocess.run(["g++", "-std=c++17", "-shared", "-fPIC", f"-I{cuda}/include", f"-I{cuda}/targets/x86_64-linux/include", "glue.cpp", "-o", "libglue.so",
                    "-l:libcuda.so.1"], cwd=cpp, check=True)
    library = ctypes.CDLL(str(cpp / "libglue.so"))
    library.call.restype, library.room.restype = ctypes.c_char_p, ctypes.c_size_t
    given, tensors = inputs()
    made = outputs(package.PLAN, package.FORWARD.bound(tensors, given[len(tensors):]))
    room = torch.empty(max(1, library.room()), dtype=torch.uint8, device="cuda")
    pointers = (ctypes.c_void_p * count)(*(t.data_ptr() for t in (*tensors, *made)))
    why = library.call(pointers, ctypes.c_void_p(room.data_ptr()), ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    assert why is None, why
    torch.cuda.synchronize()
    test.agree(made, test.reference(*given), "the header")
    pointers[0] += 4
    why = library.call(pointers, ctypes.c_void_p(room.data_ptr()), None)
    assert why and b"multiple of 32 bytes" in why, why


def test_ptx():
    plan = plans.Plan.load(ptx / "plan.json")
    given, tensors = inputs()
    sizes = package.FORWARD.bound(tensors, given[len(tensors):])
    prepared = launch.Launcher(plan, (ptx / "kernel.ptx").read_bytes()).prepare(tensors[0].device, 0, sizes)
    for tensor, info in zip(tensors, plan.inputs):
        prepared.addresses[info["name"]] = tensor.data_ptr()
    test.agree(prepared.run(tensors[0].get_device()), test.reference(*given), "PTX and plan")
    said = subprocess.run([sys.executable, ptx / "plan.py"], check=True, capture_output=True, text=True).stdout
    assert '"claimed": true' in said, said


if __name__ == "__main__":
    failed = 0
    for name in ("test_example", "test_header", "test_ptx"):
        try:
            globals()[name]()
            print(f"ok      {name}")
        except NotImplementedError as e:  # no reference
            print(f"  not compared: {e}")
            print(f"ok      {name}")
        except Exception as e:
            failed += 1
            print(f"FAILED  {name}: {type(e).__name__}: {e}")
    sys.exit(1 if failed else 0)
