#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes two listings of about LINES lines each into FOLDER (left.ptx, right.ptx, left.sass, right.sass), the same at every call.

usage: diff_listings.py FOLDER [LINES] [SHARE]

The right one is the left one after what a compiler does to the next version of a kernel: blocks of instructions moved, unrolled, dropped and changed
(SHARE of the blocks, default 0.15), and every register, label and address numbered anew, since one register more moves all that follow.
"""
import random
import sys

PTX = ["ld.global.f32 \t%f{a}, [%rd{b}];", "ld.global.v4.f32 \t{{%f{a}, %f{b}, %f{c}, %f{d}}}, [%rd{e}+{imm}];", "st.global.f32 \t[%rd{a}+{imm}], %f{b};",
       "fma.rn.f32 \t%f{a}, %f{b}, %f{c}, %f{d};", "add.s32 \t%r{a}, %r{b}, {imm};", "mul.wide.s32 \t%rd{a}, %r{b}, 4;", "add.s64 \t%rd{a}, %rd{b}, %rd{c};",
       "setp.lt.s32 \t%p{p}, %r{a}, {imm};", "mul.f32 \t%f{a}, %f{b}, 0f{imm:08X};", "max.f32 \t%f{a}, %f{b}, %f{c};", "shfl.sync.bfly.b32 \t%r{a}|%p{p}, %r{b}, {small}, 31, -1;",
       "ld.shared.f32 \t%f{a}, [%r{b}+{imm}];", "st.shared.f32 \t[%r{a}+{imm}], %f{b};", "bar.sync \t0;", "ex2.approx.ftz.f32 \t%f{a}, %f{b};"]
SASS = ["LDG.E R{a}, [R{b}.64+0x{imm:x}]", "LDG.E.128 R{a}, [R{b}.64+0x{imm:x}]", "STG.E [R{a}.64+0x{imm:x}], R{b}", "FFMA R{a}, R{b}, R{c}, R{d}", "IADD3 R{a}, R{b}, 0x{imm:x}, RZ",
        "IMAD.WIDE R{a}, R{b}, R{c}, c[0x0][0x160]", "ISETP.GE.AND P{p}, PT, R{a}, 0x{imm:x}, PT", "FMUL R{a}, R{b}, 0.{imm}", "FMNMX R{a}, R{b}, R{c}, !PT", "SHFL.BFLY PT, R{a}, R{b}, 0x{small:x}, 0x1f",
        "LDS R{a}, [R{b}+0x{imm:x}]", "STS [R{a}+0x{imm:x}], R{b}", "BAR.SYNC.DEFER_BLOCKING 0x0", "MUFU.EX2 R{a}, R{b}", "ULDC.64 UR{p}, c[0x0][0x118]"]


def block(rng):
    """Instructions as (kind, operands) between two labels, registers counted from the block's own base."""
    out = []
    for _ in range(rng.randint(8, 40)):
        out.append((rng.randrange(len(PTX)), {k: rng.randrange(24) for k in "abcde"} | {"p": rng.randrange(6), "imm": rng.choice([4, 8, 16, 32, 64, 128, 256, 512, rng.randrange(4, 4096, 4)]), "small": 1 << rng.randrange(5)}))
    return out


def changed(rng, code):
    code = list(code)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(code))
        what = rng.random()
        if what < 0.35:
            code.insert(at, block(rng)[0])
        elif what < 0.6 and len(code) > 4:
            del code[at]
        else:
            kind, operands = code[at]
            code[at] = (kind, operands | {"imm": operands["imm"] + 4})
    return code


def ptx(blocks, base):
    lines = [".version 9.0", ".target sm_90", ".address_size 64", "", ".visible .entry kernel(", "\t.param .u64 kernel_param_0,", "\t.param .u64 kernel_param_1", ")", "{"]
    for kind, bank in (("pred", "p"), ("f32", "f"), ("b32", "r"), ("b64", "rd")):
        lines.append(f"\t.reg .{kind} \t%{bank}<{base + 20 * len(blocks)}>;")
    for number, code in enumerate(blocks):
        lines.append(f"$L__BB0_{number + base % 7}:")
        for at, (kind, o) in enumerate(code):
            if at % 9 == 0:
                lines.append(f"\t.loc\t1 {20 + (number * 3 + at) % 300} {at % 17}")
            regs = {k: base + number * 3 + v for k, v in o.items() if k in "abcde"}
            lines.append("\t" + PTX[kind].format(**regs, p=o["p"] + base % 5, imm=o["imm"], small=o["small"]))
        lines.append(f"\t@%p{number % 6 + base % 5} bra \t$L__BB0_{max(0, number - 2) + base % 7};")
    return lines + ["\tret;", "}"]


def sass(blocks, base):
    lines, address = [".text.kernel:"], base * 16
    for number, code in enumerate(blocks):
        lines.append(f".L_x_{number + base}:")
        for at, (kind, o) in enumerate(code):
            if at % 9 == 0:
                lines.append(f"\t//## File \"kernel.cu\", line {20 + (number * 3 + at) % 300}")
            regs = {k: (base + number + v) % 250 for k, v in o.items() if k in "abcde"}
            text = SASS[kind].format(**regs, p=o["p"] % 6, imm=o["imm"], small=o["small"])
            lines.append(f"        /*{address:04x}*/                   {text} ;")
            address += 16
        lines.append(f"        /*{address:04x}*/              @P{number % 6} BRA `(.L_x_{max(0, number - 2) + base}) ;")
        address += 16
    return lines + [f"        /*{address:04x}*/                   EXIT ;"]


def main():
    folder, count, share = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20000, float(sys.argv[3]) if len(sys.argv) > 3 else 0.15
    rng = random.Random(20000)
    blocks, lines = [], 0
    while lines < count:
        blocks.append(block(rng))
        lines += len(blocks[-1]) + len(blocks[-1]) // 9 + 3
    after = []
    for code in blocks:
        dice = rng.random()
        if dice < share * 0.1:
            continue
        after.append(changed(rng, code) if dice < share else code)
        if dice > 1 - share * 0.1:
            after.append(block(rng))
    if len(after) > 40:
        at = len(after) // 3
        after[at:at + 6], after[at + 20:at + 26] = after[at + 20:at + 26], after[at:at + 6]
    for name, make in (("ptx", ptx), ("sass", sass)):
        for side, what, base in (("left", blocks, 1), ("right", after, 4)):
            with open(f"{folder}/{side}.{name}", "w") as file:
                file.write("\n".join(make(what, base)) + "\n")


main()
