// SPDX-License-Identifier: Apache-2.0
// Elements that only move, as careful people write it.
// ==== batch_transpose_tile: transpose/batch_transpose B = 2, R = 32, C = 48
//@ launch k grid(ceildiv(C, 32), ceildiv(R, 32), B) block(32, 8) args(x, y, R, C)
//@ require B <= 65535 && R <= 2097120
KERNEL k(const float* x, float* y, int R, int C) {
  __shared__ float s[32][33];
  const int r0 = blockIdx.y * 32, c0 = blockIdx.x * 32, l = threadIdx.x;
  const i64 at = blockIdx.z * (i64)R * C;
  for (int i = threadIdx.y; i < 32; i += 8) if (r0 + i < R && c0 + l < C) s[i][l] = x[at + (r0 + i) * (i64)C + c0 + l];
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) if (c0 + i < C && r0 + l < R) y[at + (c0 + i) * (i64)R + r0 + l] = s[l][i];
}
// ==== permute_by_output: transpose/permute_201 A = 8, B = 8, C = 8
//@ launch k grid(ceildiv(A*B*C, 256)) block(256) args(x, y, A, B, C)
KERNEL k(const float* x, float* y, int A, int B, int C) { EACH(i, (i64)A * B * C) y[i] = x[i % ((i64)A * B) * C + i / ((i64)A * B)]; }
// ==== permute_rows: transpose/permute_102 A = 8, B = 8, C = 8
//@ launch k grid(A*B) block(32) args(x, y, A, B, C)
KERNEL k(const float* x, float* y, int A, int B, int C) {
  const int a = blockIdx.x / B, b = blockIdx.x % B;
  LANES(c, C) y[(b * (i64)A + a) * C + c] = x[(a * (i64)B + b) * C + c];
}
// ==== permute_reversed: transpose/permute_210 A = 8, B = 8, C = 8
//@ launch k grid(ceildiv(A*B*C, 256)) block(256) args(x, y, A, B, C)
KERNEL k(const float* x, float* y, int A, int B, int C) { EACH(i, (i64)A * B * C) y[i] = x[(i % A * B + i / A % B) * C + i / A / B]; }
// ==== flip_rows_in_shared: transpose/flip_rows R = 16, C = 64
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[64];
  for (int c0 = 0; c0 < C; c0 += 64) {
    const int n = min(64, C - c0), l = threadIdx.x;
    if (l < n) s[l] = x[blockIdx.x * (i64)C + c0 + l];
    __syncthreads();
    if (l < n) y[blockIdx.x * (i64)C + C - c0 - n + l] = s[n - 1 - l];
    __syncthreads();
  }
}
// ==== flip_columns_rows: transpose/flip_columns R = 16, C = 64
//@ launch k grid(R) block(32) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) { LANES(c, C) y[blockIdx.x * (i64)C + c] = x[(R - 1 - blockIdx.x) * (i64)C + c]; }
// ==== roll_modulo: transpose/roll_rows R = 16, C = 64
//@ launch k grid(R) block(32) args(x, y, C, shift)
KERNEL k(const float* x, float* y, int C, int shift) { LANES(c, C) y[blockIdx.x * (i64)C + c] = x[blockIdx.x * (i64)C + ((c - shift) % C + C) % C]; }
// ==== pad_with_zeros: transpose/zero_pad2d N = 1, C = 2, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*(H+2*padding)*(W+2*padding), 128)) block(128) args(x, y, N*C, H, W, padding)
KERNEL k(const float* x, float* y, int NC, int H, int W, int pad) {
  EACH(i, (i64)NC * (H + 2 * pad) * (W + 2 * pad)) {
    const int w = (int)(i % (W + 2 * pad)) - pad, h = (int)(i / (W + 2 * pad) % (H + 2 * pad)) - pad;
    y[i] = h >= 0 && h < H && w >= 0 && w < W ? x[(i / (W + 2 * pad) / (H + 2 * pad) * H + h) * W + w] : 0.0f;
  }
}
// ==== pad_with_edges: transpose/replicate_pad2d N = 1, C = 2, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*(H+2*padding)*(W+2*padding), 128)) block(128) args(x, y, N*C, H, W, padding)
KERNEL k(const float* x, float* y, int NC, int H, int W, int pad) {
  EACH(i, (i64)NC * (H + 2 * pad) * (W + 2 * pad)) {
    const int w = (int)(i % (W + 2 * pad)) - pad, h = (int)(i / (W + 2 * pad) % (H + 2 * pad)) - pad;
    y[i] = x[(i / (W + 2 * pad) / (H + 2 * pad) * H + min(max(h, 0), H - 1)) * W + min(max(w, 0), W - 1)];
  }
}
// ==== pad_around: transpose/circular_pad2d N = 1, C = 2, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*(H+2*padding)*(W+2*padding), 128)) block(128) args(x, y, N*C, H, W, padding)
KERNEL k(const float* x, float* y, int NC, int H, int W, int pad) {
  EACH(i, (i64)NC * (H + 2 * pad) * (W + 2 * pad)) {
    const int w = (int)(i % (W + 2 * pad)) - pad, h = (int)(i / (W + 2 * pad) % (H + 2 * pad)) - pad;
    y[i] = x[(i / (W + 2 * pad) / (H + 2 * pad) * H + (h % H + H) % H) * W + (w % W + W) % W];
  }
}
// ==== upsample_by_division: transpose/upsample_nearest N = 1, C = 2, H = 4, W = 4
//@ launch k grid(ceildiv(N*C*H*factor*W*factor, 128)) block(128) args(x, y, N*C, H, W, factor)
KERNEL k(const float* x, float* y, int NC, int H, int W, int f) {
  EACH(i, (i64)NC * H * f * W * f) {
    const int w = i % (W * f), h = i / (W * f) % (H * f);
    y[i] = x[(i / (W * f) / (H * f) * H + h / f) * W + w / f];
  }
}
// ==== shuffle_pixels: transpose/pixel_shuffle N = 1, C = 2, F = 2, H = 4, W = 4
//@ launch k grid(ceildiv(N*C*F*F*H*W, 128)) block(128) args(x, y, N, C, F, H, W)
KERNEL k(const float* x, float* y, int N, int C, int F, int H, int W) {
  EACH(i, (i64)N * C * F * F * H * W) {
    const int w = i % (W * F), h = i / (W * F) % (H * F), c = i / (W * F) / (H * F) % C, n = i / (W * F) / (H * F) / C;
    y[i] = x[((n * (i64)(C * F * F) + c * F * F + h % F * F + w % F) * H + h / F) * W + w / F];
  }
}
// ==== shuffle_channels: transpose/channel_shuffle N = 1, G = 2, C = 4, H = 4, W = 4
//@ launch k grid(N*G*C) block(32) args(x, y, G, C, H*W)
KERNEL k(const float* x, float* y, int G, int C, int HW) {
  const int k = blockIdx.x % (G * C), n = blockIdx.x / (G * C), from = k % G * C + k / G;
  LANES(i, HW) y[blockIdx.x * (i64)HW + i] = x[(n * (i64)(G * C) + from) * HW + i];
}
// ==== columns_beside: transpose/concat_columns R = 16, C = 24, D = 40
//@ launch k grid(R) block(64) args(a, b, y, C, D)
KERNEL k(const float* a, const float* b, float* y, int C, int D) {
  LANES(c, C + D) y[blockIdx.x * (i64)(C + D) + c] = c < C ? a[blockIdx.x * (i64)C + c] : b[blockIdx.x * (i64)D + c - C];
}
// ==== heads_merged: transpose/merge_heads B = 1, H = 2, S = 16, E = 8
//@ launch k grid(ceildiv(B*H*S*E, 128)) block(128) args(x, y, B, H, S, E)
KERNEL k(const float* x, float* y, int B, int H, int S, int E) {
  EACH(i, (i64)B * H * S * E) {
    const int e = i % E, h = i / E % H, s = i / E / H % S, b = i / E / H / S;
    y[i] = x[((b * (i64)H + h) * S + s) * E + e];
  }
}
// ==== windows_unfolded: transpose/im2col N = 1, C = 2, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*kernel*kernel*(H-kernel+1)*(W-kernel+1), 128)) block(128) args(x, y, N, C, H, W, kernel)
KERNEL k(const float* x, float* y, int N, int C, int H, int W, int kernel) {
  const int P = H - kernel + 1, Q = W - kernel + 1;
  EACH(i, (i64)N * C * kernel * kernel * P * Q) {
    const int q = i % Q, p = i / Q % P;
    const i64 k = i / Q / P;
    y[i] = x[(k / kernel / kernel * H + p + k / kernel % kernel) * W + q + k % kernel];
  }
}
// ==== nhwc_through_shared: transpose/nhwc_to_nchw N = 2, C = 4, H = 8, W = 8
// A transpose of pixels and channels for each image.
//@ launch k grid(ceildiv(H*W, 32), ceildiv(C, 32), N) block(32, 8) args(x, y, H*W, C)
//@ require N <= 65535 && C <= 2097120
KERNEL k(const float* x, float* y, int HW, int C) {
  __shared__ float s[32][33];
  const int p0 = blockIdx.x * 32, c0 = blockIdx.y * 32, l = threadIdx.x;
  const i64 at = blockIdx.z * (i64)HW * C;
  for (int i = threadIdx.y; i < 32; i += 8) if (p0 + i < HW && c0 + l < C) s[i][l] = x[at + (p0 + i) * (i64)C + c0 + l];
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) if (c0 + i < C && p0 + l < HW) y[at + (c0 + i) * (i64)HW + p0 + l] = s[l][i];
}
// ==== diagonal_of_each: transpose/diagonal N = 64
//@ launch k grid(ceildiv(N, 64)) block(64) args(a, y, N)
KERNEL k(const float* a, float* y, int N) { EACH(i, N) y[i] = a[i * (N + 1ll)]; }
// ==== bilinear_by_four_weights: transpose/upsample_bilinear N = 1, C = 2, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*H*factor*W*factor, 128)) block(128) args(x, y, N, C, H, W, factor)
KERNEL k(const float* x, float* y, int N, int C, int H, int W, int factor) {
  const int P = H * factor, Q = W * factor;
  EACH(i, (i64)N * C * P * Q) {
    const int q = i % Q, p = i / Q % P;
    const float* from = x + i / Q / P * H * W;
    const float a = fmaxf((p + 0.5f) / factor - 0.5f, 0.0f), b = fmaxf((q + 0.5f) / factor - 0.5f, 0.0f);
    const int t = max(2 * p + 1 - factor, 0) / (2 * factor), l = max(2 * q + 1 - factor, 0) / (2 * factor);
    const int t1 = min(t + 1, H - 1), l1 = min(l + 1, W - 1);
    const float u = a - t, v = b - l, u0 = 1 - u, v0 = 1 - v;
    y[i] = u0 * v0 * from[t * W + l] + u0 * v * from[t * W + l1] + u * v0 * from[t1 * W + l] + u * v * from[t1 * W + l1];
  }
}
