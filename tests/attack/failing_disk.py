"""A disk that fails, or a program that is killed, at the n-th call that would change a folder (Linux on x86-64).

The program is traced by ptrace(2): the system stops it at every call, and this process lets the call fail instead, as
`strace --inject` does. So every library meets the error, compiled ones too.
"""

import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from waterview.core.errors import InputError

_WRITES = {1: "write", 18: "pwrite64", 20: "writev", 296: "pwritev", 40: "sendfile", 326: "copy_file_range"}
_ON_FILES = {**_WRITES, 74: "fsync", 75: "fdatasync", 77: "ftruncate", 285: "fallocate"}
_ON_PATHS = {2: ("open", 0), 85: ("creat", 0), 82: ("rename", 1), 83: ("mkdir", 0), 76: ("truncate", 0)}
_BESIDE = {257: ("openat", 0), 258: ("mkdirat", 0), 264: ("renameat", 2), 316: ("renameat2", 2)}
_FLAGS = {2: 1, 257: 2}  # which argument of open and openat holds them
_TRACEME, _GETREGS, _SETREGS, _SYSCALL, _SETOPTIONS, _GET_CALL = 0, 12, 13, 24, 0x4200, 0x420E
_SYSGOOD, _CLONE, _EXITKILL, _ALL_THREADS = 1, 8, 0x100000, 0x40000000
_REGISTERS = "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs gs ds es f g"
_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


class _Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in _REGISTERS.split()]


class _Call(ctypes.Structure):
    _fields_ = [
        ("op", ctypes.c_uint8),
        ("pad", ctypes.c_uint8 * 3),
        ("arch", ctypes.c_uint32),
        ("places", ctypes.c_uint64 * 2),
        ("number", ctypes.c_uint64),
        ("arguments", ctypes.c_uint64 * 6),
    ]


@dataclass(frozen=True)
class Run:
    """How an action ended.

    Attributes:
        calls: names of the calls that would change the folder, in order.
        end: "done", "refused" by an InputError, "killed", or the traceback of another error.
    """

    calls: tuple[str, ...]
    end: str


def run(action: Callable[[], object], folder: Path, at: int | None = None, error: int | None = None) -> Run:
    """Run `action` in a forked process, whose call number `at` that would change `folder` fails or is its last.

    Args:
        action: what to run.
        folder: whose files count.
        at: number of the call, from 0; None lets all be.
        error: number of the error that the call ends with; None kills the process before the call.
    """
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        _be_traced(action, write)
    os.close(write)
    try:
        calls, status = _trace(child, folder, at, error)
        with os.fdopen(read, encoding="utf-8", errors="replace") as pipe:
            said = pipe.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    if os.WIFSIGNALED(status):
        killed = at is not None and error is None and os.WTERMSIG(status) == signal.SIGKILL
        return Run(calls, "killed" if killed else f"ended by signal {os.WTERMSIG(status)}")
    return Run(calls, {0: "done", 2: "refused"}.get(os.WEXITSTATUS(status), said))


def _be_traced(action, pipe):
    _libc.ptrace(_TRACEME, 0, None, None)
    os.kill(os.getpid(), signal.SIGSTOP)
    code = 1
    try:
        action()
        code = 0
    except InputError as refused:
        code = 2 if str(refused).isprintable() else 1
        os.write(pipe, str(refused).encode())
    except BaseException:
        os.write(pipe, traceback.format_exc()[-3000:].encode())
    finally:
        os._exit(code)


def _trace(child, folder, at, error):
    os.waitpid(child, _ALL_THREADS)
    _libc.ptrace(_SETOPTIONS, child, None, _SYSGOOD | _CLONE | _EXITKILL)
    _libc.ptrace(_SYSCALL, child, None, None)
    calls, failing = [], set()
    while True:
        thread, status = os.waitpid(-1, _ALL_THREADS)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            if thread == child:
                return tuple(calls), status
            continue
        stopped_by, deliver = os.WSTOPSIG(status), 0
        if stopped_by == signal.SIGTRAP | 0x80:
            if thread in failing:
                failing.discard(thread)
                _change(thread, "rax", -error)
            else:
                name = _changing_call(thread, folder)
                if name is not None:
                    calls.append(name)
                    if len(calls) - 1 == at:
                        if error is None:
                            os.kill(child, signal.SIGKILL)
                            continue
                        failing.add(thread)
                        _change(thread, "orig_rax", -1)
        elif stopped_by not in (signal.SIGTRAP, signal.SIGSTOP):
            deliver = stopped_by
        _libc.ptrace(_SYSCALL, thread, None, deliver)


def _change(thread, register, value):
    registers = _Registers()
    _libc.ptrace(_GETREGS, thread, None, ctypes.addressof(registers))
    setattr(registers, register, value & (2**64 - 1))
    _libc.ptrace(_SETREGS, thread, None, ctypes.addressof(registers))


def _changing_call(thread, folder):
    """The name of the call that a thread is about to make, if it would change something in the folder."""
    call = _Call()
    _libc.ptrace(_GET_CALL, thread, ctypes.sizeof(call), ctypes.addressof(call))
    if call.op != 1:
        return None
    number, arguments = call.number, call.arguments
    if number in _FLAGS and not arguments[_FLAGS[number]] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        return None
    if number in _ON_FILES:
        name, place = _ON_FILES[number], _opened(thread, arguments[0])
    elif number in _ON_PATHS:
        name, which = _ON_PATHS[number]
        place = _text(thread, arguments[which])
    elif number in _BESIDE:
        name, which = _BESIDE[number]
        place = os.path.join(_opened(thread, arguments[which]), _text(thread, arguments[which + 1]))
    else:
        return None
    return name if Path(place).is_relative_to(folder) else None


def _opened(thread, number):
    number = ctypes.c_int(number & 0xFFFFFFFF).value
    try:
        return os.readlink(f"/proc/{thread}/cwd" if number == -100 else f"/proc/{thread}/fd/{number}")
    except OSError:
        return ""


def _text(thread, address):
    text = b""
    with open(f"/proc/{thread}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        while b"\0" not in text:  # page by page: the one after the text may not be there to be read
            text += memory.read(4096 - (address + len(text)) % 4096)
    return os.fsdecode(text.partition(b"\0")[0])


def is_traceable() -> bool:
    """Whether this machine can let calls fail."""
    return sys.platform == "linux" and os.uname().machine == "x86_64"
