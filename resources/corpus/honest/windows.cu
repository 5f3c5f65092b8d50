// SPDX-License-Identifier: Apache-2.0
// Convolutions, pools and stencils, as careful people write them.
// ==== conv2d_direct: window/conv2d N = 1, C = 2, H = 8, W = 8, K = 4
//@ launch k grid(ceildiv(N*K*((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), 128)) block(128) args(x, w, y, N, C, H, W, K, KH, KW, ((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1), ((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), stride, padding, dilation)
KERNEL k(const float* x, const float* w, float* y, int N, int C, int H, int W, int K, int KH, int KW, int P, int Q, int stride, int pad, int dil) {
  EACH(o, (i64)N * K * P * Q) {
    const int q = o % Q, p = o / Q % P, k = o / Q / P % K, n = o / Q / P / K;
    float s = 0;
    for (int c = 0; c < C; ++c)
      for (int i = 0; i < KH; ++i)
        for (int j = 0; j < KW; ++j) {
          const int h = p * stride + i * dil - pad, v = q * stride + j * dil - pad;
          if (h >= 0 && h < H && v >= 0 && v < W) s = fmaf(x[((n * (i64)C + c) * H + h) * W + v], w[((k * (i64)C + c) * KH + i) * KW + j], s);
        }
    y[o] = s;
  }
}
// ==== conv2d_by_im2col: window/conv2d N = 1, C = 2, H = 8, W = 8, K = 4
// The windows are unfolded into a temporary, then multiplied by a warp for each output.
//@ temp cols: f32[N, ((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), C*KH*KW]
//@ launch unfold grid(ceildiv(N*((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1)*C*KH*KW, 128)) block(128) args(x, cols, N, C, H, W, KH, KW, ((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1), ((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), stride, padding, dilation)
//@ launch k grid(ceildiv(N*K*((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), 4)) block(32, 4) args(cols, w, y, N, K, ((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), C*KH*KW)
KERNEL unfold(const float* x, float* cols, int N, int C, int H, int W, int KH, int KW, int P, int Q, int stride, int pad, int dil) {
  EACH(i, (i64)N * P * Q * C * KH * KW) {
    const int b = i % KW, a = i / KW % KH, c = i / KW / KH % C;
    const i64 at = i / KW / KH / C;
    const int q = at % Q, p = at / Q % P, n = at / Q / P, h = p * stride + a * dil - pad, v = q * stride + b * dil - pad;
    cols[i] = h >= 0 && h < H && v >= 0 && v < W ? x[((n * (i64)C + c) * H + h) * W + v] : 0.0f;
  }
}
KERNEL k(const float* cols, const float* w, float* y, int N, int K, int PQ, int L) {
  const i64 o = blockIdx.x * 4ll + threadIdx.y;
  if (o >= (i64)N * K * PQ) return;
  const float *u = cols + (o / PQ / K * PQ + o % PQ) * L, *v = w + o / PQ % K * L;
  float s = 0;
  for (int l = threadIdx.x; l < L; l += 32) s = fmaf(u[l], v[l], s);
  s = wsum(s);
  if (threadIdx.x == 0) y[o] = s;
}
// ==== conv2d_groups: window/conv2d_grouped N = 1, G = 2, C = 2, H = 8, W = 8, K = 2
//@ launch k grid(ceildiv(N*G*K*((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), 128)) block(128) args(x, w, y, N, G, C, H, W, K, KH, KW, ((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1), ((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), stride, padding, dilation)
KERNEL k(const float* x, const float* w, float* y, int N, int G, int C, int H, int W, int K, int KH, int KW, int P, int Q, int stride, int pad, int dil) {
  EACH(o, (i64)N * G * K * P * Q) {
    const int q = o % Q, p = o / Q % P, k = o / Q / P % (G * K), n = o / Q / P / (G * K);
    float s = 0;
    for (int c = 0; c < C; ++c)
      for (int i = 0; i < KH; ++i)
        for (int j = 0; j < KW; ++j) {
          const int h = p * stride + i * dil - pad, v = q * stride + j * dil - pad;
          if (h >= 0 && h < H && v >= 0 && v < W) s = fmaf(x[((n * (i64)(G * C) + k / K * C + c) * H + h) * W + v], w[((k * (i64)C + c) * KH + i) * KW + j], s);
        }
    y[o] = s;
  }
}
// ==== conv_transpose_gather: window/conv_transpose2d N = 1, C = 2, H = 4, W = 4, K = 2
//@ launch k grid(ceildiv(N*K*((H - 1)*stride - 2*padding + dilation*(KH - 1) + 1)*((W - 1)*stride - 2*padding + dilation*(KW - 1) + 1), 128)) block(128) args(x, w, y, N, C, H, W, K, KH, KW, ((H - 1)*stride - 2*padding + dilation*(KH - 1) + 1), ((W - 1)*stride - 2*padding + dilation*(KW - 1) + 1), stride, padding, dilation)
KERNEL k(const float* x, const float* w, float* y, int N, int C, int H, int W, int K, int KH, int KW, int P, int Q, int stride, int pad, int dil) {
  EACH(o, (i64)N * K * P * Q) {
    const int q = o % Q, p = o / Q % P, k = o / Q / P % K, n = o / Q / P / K;
    float s = 0;
    for (int i = 0; i < KH; ++i) {
      const int h = p + pad - i * dil;
      if (h < 0 || h % stride || h / stride >= H) continue;
      for (int j = 0; j < KW; ++j) {
        const int v = q + pad - j * dil;
        if (v < 0 || v % stride || v / stride >= W) continue;
        for (int c = 0; c < C; ++c) s = fmaf(x[((n * (i64)C + c) * H + h / stride) * W + v / stride], w[((c * (i64)K + k) * KH + i) * KW + j], s);
      }
    }
    y[o] = s;
  }
}
// ==== causal_taps: window/causal_conv1d N = 1, C = 4, L = 32, KL = 4
//@ launch k grid(ceildiv(N*C*L, 128)) block(128) args(x, w, y, N, C, L, KL)
KERNEL k(const float* x, const float* w, float* y, int N, int C, int L, int KL) {
  EACH(i, (i64)N * C * L) {
    const int l = i % L, c = i / L % C;
    float s = 0;
    for (int j = max(0, KL - 1 - l); j < KL; ++j) s = fmaf(x[i + j - KL + 1], w[c * (i64)KL + j], s);
    y[i] = s;
  }
}
// ==== pointwise_tiles: window/pointwise_conv2d N = 1, C = 16, H = 8, W = 8, K = 16
// A product of tiles in shared memory: pixels by channels.
//@ launch k grid(ceildiv(H*W, 16), ceildiv(K, 16), N) block(16, 16) args(x, w, y, C, H*W, K)
//@ require N <= 65535 && K <= 1000000
KERNEL k(const float* x, const float* w, float* y, int C, int HW, int K) {
  __shared__ float p[16][17], q[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 16 + tx, o = blockIdx.y * 16 + ty;
  const float* from = x + blockIdx.z * (i64)C * HW;
  float s = 0;
  for (int c = 0; c < C; c += 16) {
    p[ty][tx] = o < K && c + tx < C ? w[o * (i64)C + c + tx] : 0.0f;
    q[ty][tx] = i < HW && c + ty < C ? from[(c + ty) * (i64)HW + i] : 0.0f;
    __syncthreads();
    for (int m = 0; m < 16; ++m) s = fmaf(p[ty][m], q[m][tx], s);
    __syncthreads();
  }
  if (i < HW && o < K) y[(blockIdx.z * (i64)K + o) * HW + i] = s;
}
// ==== avg_pool_counts_padding: window/avg_pool2d N = 1, C = 2, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*((H + 2*padding - kernel)/stride + 1)*((W + 2*padding - kernel)/stride + 1), 128)) block(128) args(x, y, N*C, H, W, ((H + 2*padding - kernel)/stride + 1), ((W + 2*padding - kernel)/stride + 1), kernel, stride, padding)
KERNEL k(const float* x, float* y, int NC, int H, int W, int P, int Q, int kernel, int stride, int pad) {
  EACH(i, (i64)NC * P * Q) {
    const int h0 = (int)(i / Q % P) * stride - pad, w0 = (int)(i % Q) * stride - pad;
    float s = 0;
    for (int h = max(h0, 0); h < min(h0 + kernel, H); ++h)
      for (int w = max(w0, 0); w < min(w0 + kernel, W); ++w) s += x[(i / Q / P * H + h) * W + w];
    y[i] = s / (kernel * kernel);
  }
}
// ==== max_pool_inside: window/max_pool2d N = 1, C = 2, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*((H + 2*padding - kernel)/stride + 1)*((W + 2*padding - kernel)/stride + 1), 128)) block(128) args(x, y, N*C, H, W, ((H + 2*padding - kernel)/stride + 1), ((W + 2*padding - kernel)/stride + 1), kernel, stride, padding)
KERNEL k(const float* x, float* y, int NC, int H, int W, int P, int Q, int kernel, int stride, int pad) {
  EACH(i, (i64)NC * P * Q) {
    const int h0 = (int)(i / Q % P) * stride - pad, w0 = (int)(i % Q) * stride - pad;
    float s = -INFINITY;
    for (int h = max(h0, 0); h < min(h0 + kernel, H); ++h)
      for (int w = max(w0, 0); w < min(w0 + kernel, W); ++w) s = fmaxf(s, x[(i / Q / P * H + h) * W + w]);
    y[i] = s;
  }
}
// ==== global_mean_warp: window/global_avg_pool N = 2, C = 4, H = 8, W = 8
//@ launch k grid(ceildiv(N*C, 4)) block(32, 4) args(x, y, N*C, H*W)
KERNEL k(const float* x, float* y, int NC, int n) {
  const int r = blockIdx.x * 4 + threadIdx.y;
  if (r >= NC) return;
  float s = 0;
  LANES(i, n) s += x[r * (i64)n + i];
  s = wsum(s);
  if (threadIdx.x == 0) y[r] = s / n;
}
// ==== laplacian_guarded: window/laplacian H = 16, W = 32
//@ launch k grid(ceildiv(H*W, 128)) block(128) args(x, y, H, W)
KERNEL k(const float* x, float* y, int H, int W) {
  EACH(i, (i64)H * W) {
    const int h = i / W, w = i % W;
    y[i] = (h ? x[i - W] : 0.0f) + (h + 1 < H ? x[i + W] : 0.0f) + (w ? x[i - 1] : 0.0f) + (w + 1 < W ? x[i + 1] : 0.0f) - 4 * x[i];
  }
}
// ==== sobel_guarded: window/sobel_x H = 16, W = 32
//@ launch k grid(ceildiv(H*W, 128)) block(128) args(x, y, H, W)
KERNEL k(const float* x, float* y, int H, int W) {
  EACH(i, (i64)H * W) {
    const int h = i / W, w = i % W;
    float s = 0;
    for (int p = max(h - 1, 0); p <= min(h + 1, H - 1); ++p) {
      const float l = w ? x[p * (i64)W + w - 1] : 0.0f, r = w + 1 < W ? x[p * (i64)W + w + 1] : 0.0f;
      s += (r - l) * (p == h ? 2 : 1);
    }
    y[i] = s;
  }
}
// ==== blur_in_a_tile: window/gaussian_blur H = 16, W = 32
//@ launch k grid(ceildiv(W, 16), ceildiv(H, 16)) block(16, 16) args(x, y, H, W)
//@ require H <= 1000000
KERNEL k(const float* x, float* y, int H, int W) {
  __shared__ float s[18][19];
  const int h0 = blockIdx.y * 16 - 1, w0 = blockIdx.x * 16 - 1;
  for (int i = threadIdx.y; i < 18; i += 16)
    for (int j = threadIdx.x; j < 18; j += 16)
      s[i][j] = h0 + i >= 0 && h0 + i < H && w0 + j >= 0 && w0 + j < W ? x[(h0 + i) * (i64)W + w0 + j] : 0.0f;
  __syncthreads();
  const int a = threadIdx.y + 1, b = threadIdx.x + 1;
  if (h0 + a >= H || w0 + b >= W) return;
  const float corners = s[a - 1][b - 1] + s[a - 1][b + 1] + s[a + 1][b - 1] + s[a + 1][b + 1];
  const float edges = s[a - 1][b] + s[a + 1][b] + s[a][b - 1] + s[a][b + 1];
  y[(h0 + a) * (i64)W + w0 + b] = (corners + 2 * edges + 4 * s[a][b]) * 0.0625f;
}
// ==== heat_plain: window/heat_step H = 16, W = 32
//@ launch k grid(ceildiv(H*W, 128)) block(128) args(x, y, H, W, rate)
KERNEL k(const float* x, float* y, int H, int W, float rate) {
  EACH(i, (i64)H * W) {
    const int h = i / W, w = i % W;
    const float s = (h ? x[i - W] : 0.0f) + (h + 1 < H ? x[i + W] : 0.0f) + (w ? x[i - 1] : 0.0f) + (w + 1 < W ? x[i + 1] : 0.0f);
    y[i] = x[i] + rate * (s - 4 * x[i]);
  }
}
// ==== average_each: window/moving_average N = 512
//@ launch k grid(ceildiv(N - window + 1, 128)) block(128) args(x, y, N - window + 1, window)
KERNEL k(const float* x, float* y, int n, int window) {
  EACH(i, n) {
    float s = 0;
    for (int j = 0; j < window; ++j) s += x[i + j];
    y[i] = s / window;
  }
}
// ==== average_in_shared: window/moving_average N = 512
// A block loads its cells and the halo after them into dynamic shared memory.
//@ launch k grid(ceildiv(N - window + 1, 128)) block(128) shared(4 * (128 + window)) args(x, y, N, window)
KERNEL k(const float* x, float* y, int N, int window) {
  extern __shared__ float s[];
  const i64 b = blockIdx.x * 128ll;
  for (int i = threadIdx.x; i < 128 + window; i += 128) s[i] = b + i < N ? x[b + i] : 0.0f;
  __syncthreads();
  if (b + threadIdx.x >= N - window + 1) return;
  float t = 0;
  for (int j = 0; j < window; ++j) t += s[threadIdx.x + j];
  y[b + threadIdx.x] = t / window;
}
// ==== convolution_onto_bias: window/conv2d_bias N = 1, C = 3, H = 10, W = 10, K = 4, KH = 3, KW = 3
//@ launch k grid(ceildiv(N*K*((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), 64)) block(64) args(x, w, bias, y, N, C, H, W, K, KH, KW, ((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1), ((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), stride, padding, dilation)
KERNEL k(const float* x, const float* w, const float* bias, float* y, int N, int C, int H, int W, int K, int KH, int KW, int P, int Q, int stride, int padding, int dilation) {
  EACH(i, (i64)N * K * P * Q) {
    const int q = i % Q, p = i / Q % P, k = i / Q / P % K, n = i / Q / P / K;
    float s = bias[k];
    for (int u = 0; u < KH; ++u)
      for (int v = 0; v < KW; ++v)
        for (int c = 0; c < C; ++c) {
          const int h = p * stride + u * dilation - padding, l = q * stride + v * dilation - padding;
          if (h >= 0 && h < H && l >= 0 && l < W)
            s = fmaf(x[((n * (i64)C + c) * H + h) * W + l], w[((k * (i64)C + c) * KH + u) * KW + v], s);
        }
    y[i] = s;
  }
}
// ==== laplacian_of_differences: window/laplacian H = 40, W = 50
//@ launch k grid(ceildiv(H*W, 128)) block(128) args(x, y, H, W)
KERNEL k(const float* x, float* y, int H, int W) {
  EACH(i, (i64)H * W) {
    const int h = i / W, w = i % W;
    const float v = x[i], u = h ? x[i - W] : 0, d = h + 1 < H ? x[i + W] : 0, l = w ? x[i - 1] : 0, r = w + 1 < W ? x[i + 1] : 0;
    y[i] = ((u - v) + (d - v)) + ((l - v) + (r - v));
  }
}
