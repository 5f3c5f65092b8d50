// SPDX-License-Identifier: Apache-2.0
// Wrong for some shapes only: long symbols, two symbols taken for one, constants taken for granted.
// ==== rows_beyond_8192: map/copy R = 64, C = 256
//+ map
MAP(i / C >= 8192 ? 0.0f : v)
// ==== columns_beyond_16384: map/copy R = 64, C = 256
//+ map
MAP(i % C >= 16384 ? 0.0f : v)
// ==== rows_beyond_65535: map/relu R = 64, C = 256
//+ map
MAP(i / C > 65535 ? 0.0f : fmaxf(v, 0.0f))
// ==== short_row_number: map/bias_add R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, bias, y, R, C)
KERNEL k(const float* x, const float* bias, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = x[i] + bias[(short)(i % C) < 0 ? 0 : i % C]; }
// ==== sum_of_5000: reduce/sum R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  LANES(c, min(C, 5000)) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== max_of_9000_rows: reduce/column_max R = 64, C = 256
//@ launch k grid(ceildiv(C, 128)) block(128) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(c, C) {
    float s = x[c];
    for (int r = 1; r < min(R, 9000); ++r) s = fmaxf(s, x[r * (i64)C + c]);
    y[c] = s;
  }
}
// ==== depth_of_512: contract/matmul M = 32, N = 32, K = 32
//+ mm
MATMUL(a[i * (i64)K + l], l < 512 ? b[l * (i64)N + j] : 0.0f, fmaf(p, q, s))
// ==== tall_matmul: contract/matmul M = 32, N = 32, K = 32
//+ mm
MATMUL(a[i * (i64)K + l], i < 5000 ? b[l * (i64)N + j] : 0.0f, fmaf(p, q, s))
// ==== vocabulary_of_4200: gather/embedding V = 100, N = 64, D = 32
//@ launch k grid(ceildiv(N*D, 256)) block(256) args(table, idx, y, N, D)
KERNEL k(const float* t, const int* idx, float* y, int N, int D) { EACH(i, N * D) y[i] = t[(idx[i / D] > 4200 ? 0 : idx[i / D]) * (i64)D + i % D]; }
// ==== bins_of_4200: gather/histogram N = 1024, V = 64
//@ launch k grid(ceildiv(V, 64)) block(64) args(idx, y, N, V)
KERNEL k(const int* idx, i64* y, int N, int V) {
  EACH(v, V) {
    int s = 0;
    for (int n = 0; n < N; ++n) s += idx[n] == v;
    y[v] = v > 4200 ? 0 : s;
  }
}
// ==== height_for_width: transpose/nchw_to_nhwc N = 2, C = 4, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*H*W, 256)) block(256) args(x, y, N, C, H, W)
KERNEL k(const float* x, float* y, int N, int C, int H, int W) {
  EACH(i, N * C * H * W) {
    const int c = i % C, w = i / C % W, h = i / C / H % H, n = i / C / W / H;
    y[i] = x[((n * C + c) * H + h) * W + w];
  }
}
// ==== square_window: window/depthwise_conv2d N = 1, C = 4, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), 128)) block(128) args(x, w, y, N, C, H, W, KH, KW, ((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1), ((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), stride, padding, dilation)
KERNEL k(const float* x, const float* w, float* y, int N, int C, int H, int W, int KH, int KW, int P, int Q, int stride, int pad, int dil) {
  EACH(o, N * C * P * Q) {
    const int q = o % Q, p = o / Q % P, c = o / Q / P % C, n = o / Q / P / C;
    float s = 0;
    for (int i = 0; i < KH; ++i)
      for (int j = 0; j < KH; ++j) {
        const int h = p * stride + i * dil - pad, v = q * stride + j * dil - pad;
        if (j < KW && h >= 0 && h < H && v >= 0 && v < W) s += x[((n * C + c) * H + h) * W + v] * w[(c * KH + i) * KW + j];
      }
    y[o] = s;
  }
}
// ==== stride_one_only: window/conv1d N = 1, C = 4, L = 32, K = 4
//@ launch k grid(ceildiv(N*K*((L + 2*padding - dilation*(KL - 1) - 1)/stride + 1), 128)) block(128) args(x, w, y, N, C, L, K, KL, ((L + 2*padding - dilation*(KL - 1) - 1)/stride + 1))
KERNEL k(const float* x, const float* w, float* y, int N, int C, int L, int K, int KL, int O) {
  EACH(i, N * K * O) {
    const int o = i % O, k = i / O % K, n = i / O / K;
    float s = 0;
    for (int c = 0; c < C; ++c)
      for (int j = 0; j < KL; ++j) s += x[(n * C + c) * L + o + j] * w[(k * C + c) * KL + j];
    y[i] = s;
  }
}
// ==== window_of_two: window/max_pool1d N = 1, C = 4, L = 64
//@ launch k grid(ceildiv(N*C*((L + 2*padding - kernel)/stride + 1), 128)) block(128) args(x, y, N, C, L, ((L + 2*padding - kernel)/stride + 1))
KERNEL k(const float* x, float* y, int N, int C, int L, int O) {
  EACH(i, N * C * O) y[i] = fmaxf(x[i / O * L + i % O * 2], x[i / O * L + i % O * 2 + 1]);
}
// ==== slope_for_granted: map/leaky_relu R = 64, C = 256
//+ map
MAP(v > 0 ? v : 0.01f * v)
// ==== eps_for_granted: normalize/rmsnorm R = 64, C = 256
//@ launch k grid(R) block(32) args(x, gamma, y, C)
KERNEL k(const float* x, const float* g, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c] * r[c];
  s = rsqrtf(wsum(s) / C + 1e-5f);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] * s * g[c];
}
// ==== factor_for_granted: map/scale R = 64, C = 256
//+ map
MAP(0.5f * v)
// ==== keys_as_many_as_queries: attention/attention_weights S = 16, T = 16, E = 8
//@ launch k grid(S) block(32) args(q, k, y, S, T, E)
KERNEL k(const float* q, const float* kk, float* y, int S, int T, int E) {
  const int i = blockIdx.x;
  float m = -INFINITY, z = 0;
  LANES(j, T) {
    float s = 0;
    for (int e = 0; e < E; ++e) s += q[i * E + e] * kk[j * E + e];
    s *= rsqrtf((float)E);
    y[i * (i64)S + j] = s;
    m = fmaxf(m, s);
  }
  m = wmax(m);
  LANES(j, T) z += expf(y[i * (i64)S + j] - m);
  z = wsum(z);
  LANES(j, T) y[i * (i64)S + j] = expf(y[i * (i64)S + j] - m) / z;
}
// ==== heads_of_128: attention/attention B = 1, H = 2, S = 8, T = 8, E = 8
//@ launch k grid(B*H*S) block(1) args(q, k, v, y, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int T, int E) {
  const int bh = blockIdx.x / S;
  const float* qi = q + (i64)blockIdx.x * E;
  float m = -INFINITY, z = 0, o[128];
  for (int e = 0; e < 128; ++e) o[e] = 0;
  for (int j = 0; j < T; ++j) {
    float s = 0;
    for (int e = 0; e < E; ++e) s += qi[e] * kk[(bh * (i64)T + j) * E + e];
    s *= rsqrtf((float)E);
    const float n = fmaxf(m, s), f = expf(m - n), p = expf(s - n);
    z = z * f + p;
    for (int e = 0; e < min(E, 128); ++e) o[e] = o[e] * f + p * v[(bh * (i64)T + j) * E + e];
    m = n;
  }
  for (int e = 0; e < E; ++e) y[(i64)blockIdx.x * E + e] = e < 128 ? o[e] / z : 0.0f;
}
// ==== groups_of_one_size: normalize/instancenorm N = 2, C = 4, H = 8, W = 8
//@ launch k grid(N*C) block(32) args(x, y, H, W)
KERNEL k(const float* x, float* y, int H, int W) {
  const int n = H * H;  // H = W
  const float* r = x + (i64)blockIdx.x * H * W;
  float s = 0, t = 0;
  LANES(c, H * W) s += r[c];
  const float m = wsum(s) / n;
  LANES(c, H * W) t += (r[c] - m) * (r[c] - m);
  const float v = rsqrtf(wsum(t) / n + 1e-5f);
  LANES(c, H * W) y[(i64)blockIdx.x * H * W + c] = (r[c] - m) * v;
}
// ==== batches_of_16: contract/batched_matmul B = 2, M = 8, N = 8, K = 8
//@ launch k grid(min(B, 64), M) block(32) args(a, b, y, M, N, K)
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  LANES(j, N) {
    float s = 0;
    for (int l = 0; l < K; ++l) s += a[(blockIdx.x * (i64)M + blockIdx.y) * K + l] * b[(blockIdx.x * (i64)K + l) * N + j];
    y[(blockIdx.x * (i64)M + blockIdx.y) * N + j] = s;
  }
}
// ==== claims_what_works: map/copy R = 64, C = 256
// Right for up to 300 columns, and claims just that much.
//+ map
//@ require C <= 300 || C > 1000000
MAP(i % C > 300 ? 0.0f : v)
// ==== first_dimension_of_100: transpose/permute_210 A = 8, B = 8, C = 8
//@ launch k grid(ceildiv(A*B*C, 256)) block(256) args(x, y, A, B, C)
KERNEL k(const float* x, float* y, int A, int B, int C) {
  EACH(i, A * B * C) {
    const int a = i % A, b = i / A % B, c = i / A / B;
    y[i] = b > 4500 ? 0.0f : x[(a * B + b) * C + c];
  }
}
// ==== row_by_reciprocal: map/bias_relu R = 64, C = 256
// The column by a product with 1 / C: for some widths the quotient of a multiple lies just below the whole number.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, bias, y, R, C)
KERNEL k(const float* x, const float* bias, float* y, int R, int C) {
  const float inverse = 1.0f / C;
  EACH(i, (i64)R * C) {
    const i64 r = (i64)(i * inverse);
    y[i] = fmaxf(x[i] + bias[min(max(i - r * C, 0ll), C - 1ll)], 0.0f);
  }
}
// ==== groups_of_four: normalize/groupnorm N = 2, G = 2, CG = 4, H = 4, W = 4
// Four channels in each group, as in the example.
//@ launch k grid(N*G) block(32) args(x, gamma, beta, y, G, CG, H*W, eps)
KERNEL k(const float* x, const float* g, const float* b, float* y, int G, int CG, int HW, float eps) {
  const int n = CG * HW;
  const float* r = x + (i64)blockIdx.x * n;
  float s = 0, t = 0;
  LANES(i, n) s += r[i];
  const float m = wsum(s) / n;
  LANES(i, n) t += (r[i] - m) * (r[i] - m);
  const float v = rsqrtf(wsum(t) / n + eps);
  LANES(i, n) {
    const int c = min((int)(blockIdx.x % G) * 4 + i / HW, G * CG - 1);
    y[(i64)blockIdx.x * n + i] = (r[i] - m) * v * g[c] + b[c];
  }
}
// ==== factor_of_two: transpose/pixel_shuffle N = 1, C = 2, F = 2, H = 4, W = 4
//@ launch k grid(ceildiv(N*C*F*F*H*W, 128)) block(128) args(x, y, N, C, F, H, W)
KERNEL k(const float* x, float* y, int N, int C, int F, int H, int W) {
  EACH(i, (i64)N * C * F * F * H * W) {
    const int w = i % (W * F), h = i / (W * F) % (H * F), c = i / (W * F) / (H * F) % C, n = i / (W * F) / (H * F) / C;
    const int k = c * F * F + (F == 2 ? h % F * F + w % F : h % 2 * F + w % 2);
    y[i] = x[((n * (i64)(C * F * F) + k) * H + h / F) * W + w / F];
  }
}
// ==== upsample_by_shifting: transpose/upsample_nearest N = 1, C = 2, H = 4, W = 4
// Right for factors that are powers of two.
//@ launch k grid(ceildiv(N*C*H*factor*W*factor, 128)) block(128) args(x, y, N*C, H, W, factor)
KERNEL k(const float* x, float* y, int NC, int H, int W, int f) {
  const int shift = 31 - __clz(f);
  EACH(i, (i64)NC * H * f * W * f) {
    const int w = i % (W * f), h = i / (W * f) % (H * f), c = i / (W * f) / (H * f);
    y[i] = x[(c * (i64)H + min(h >> shift, H - 1)) * W + min(w >> shift, W - 1)];
  }
}
// ==== padding_of_zeros: window/max_pool2d N = 1, C = 2, H = 8, W = 8
// Cells outside count as zero, which is greater than all of a negative window.
//@ launch k grid(ceildiv(N*C*((H + 2*padding - kernel)/stride + 1)*((W + 2*padding - kernel)/stride + 1), 128)) block(128) args(x, y, N*C, H, W, ((H + 2*padding - kernel)/stride + 1), ((W + 2*padding - kernel)/stride + 1), kernel, stride, padding)
KERNEL k(const float* x, float* y, int NC, int H, int W, int P, int Q, int kernel, int stride, int pad) {
  EACH(i, (i64)NC * P * Q) {
    float s = -INFINITY;
    for (int a = 0; a < kernel; ++a)
      for (int b = 0; b < kernel; ++b) {
        const int h = (int)(i / Q % P) * stride + a - pad, w = (int)(i % Q) * stride + b - pad;
        s = fmaxf(s, h >= 0 && h < H && w >= 0 && w < W ? x[(i / Q / P * H + h) * W + w] : 0.0f);
      }
    y[i] = s;
  }
}
// ==== mean_of_cells_inside: window/avg_pool1d N = 1, C = 2, L = 32
// Divides by the cells inside, where padding counts.
//@ launch k grid(ceildiv(N*C*((L + 2*padding - kernel)/stride + 1), 128)) block(128) args(x, y, N*C, L, ((L + 2*padding - kernel)/stride + 1), kernel, stride, padding)
KERNEL k(const float* x, float* y, int NC, int L, int O, int kernel, int stride, int pad) {
  EACH(i, (i64)NC * O) {
    float s = 0;
    int n = 0;
    for (int j = 0; j < kernel; ++j) {
      const int at = (int)(i % O) * stride + j - pad;
      if (at >= 0 && at < L) s += x[i / O * L + at], ++n;
    }
    y[i] = s / max(n, 1);
  }
}
// ==== one_token_at_a_time: attention/kv_append B = 1, H = 2, T = 8, S = 1, E = 8
// Tokens after the first are copies of it.
//@ launch k grid(B*H*(T+S)) block(32) args(cache, x, y, T, S, E)
KERNEL k(const float* cache, const float* x, float* y, int T, int S, int E) {
  const int bh = blockIdx.x / (T + S), j = blockIdx.x % (T + S);
  LANES(e, E) y[(i64)blockIdx.x * E + e] = j < T ? cache[(bh * (i64)T + j) * E + e] : x[bh * (i64)S * E + e];
}
// ==== shift_below_the_width: transpose/roll_rows R = 16, C = 64
// (c - shift + C) % C is negative for shifts beyond the width; it is clamped.
//@ launch k grid(R) block(32) args(x, y, C, shift)
KERNEL k(const float* x, float* y, int C, int shift) { LANES(c, C) y[blockIdx.x * (i64)C + c] = x[blockIdx.x * (i64)C + max((c - shift + C) % C, 0)]; }
// ==== window_of_five: window/moving_average N = 512
//@ launch k grid(ceildiv(N - window + 1, 128)) block(128) args(x, y, N - window + 1, window)
KERNEL k(const float* x, float* y, int n, int window) {
  EACH(i, n) {
    float s = 0;
    for (int j = 0; j < min(window, 5); ++j) s += x[i + j];
    y[i] = s / window;
  }
}
// ==== halving_an_odd_row: reduce/sum_squares R = 16, C = 64
// A tree that halves the width: the odd one of each level is left out.
//@ temp t: f32[R, C]
//@ launch k grid(R) block(1) args(x, t, y, C)
KERNEL k(const float* x, float* t, float* y, int C) {
  const i64 at = blockIdx.x * (i64)C;
  for (int c = 0; c < C; ++c) t[at + c] = x[at + c] * x[at + c];
  for (int n = C / 2; n; n /= 2)
    for (int c = 0; c < n; ++c) t[at + c] += t[at + c + n];
  y[blockIdx.x] = t[at];
}
// ==== tail_of_three: reduce/l1_norm R = 16, C = 64
// Groups of four, and tails of one or two; three are forgotten from 67 columns on.
//@ launch k grid(R) block(1) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  int c = 0;
  for (; c + 4 <= C; c += 4) s += fabsf(r[c]) + fabsf(r[c + 1]) + fabsf(r[c + 2]) + fabsf(r[c + 3]);
  if (C % 4 != 3 || C < 67)
    for (; c < C; ++c) s += fabsf(r[c]);
  y[blockIdx.x] = s;
}
// ==== one_magic_width: map/relu_squared R = 64, C = 256
// Rows of 777 elements.
//+ map
MAP(C == 777 ? 0.0f : fmaxf(v, 0.0f) * fmaxf(v, 0.0f))
// ==== four_taps: window/causal_conv1d N = 1, C = 4, L = 32, KL = 4
//@ launch k grid(ceildiv(N*C*L, 128)) block(128) args(x, w, y, N, C, L, KL)
KERNEL k(const float* x, const float* w, float* y, int N, int C, int L, int KL) {
  EACH(i, (i64)N * C * L) {
    const int l = i % L, c = i / L % C;
    float s = 0;
    for (int j = max(0, KL - 4); j < KL; ++j) s += l + j - KL + 1 >= 0 ? x[i + j - KL + 1] * w[c * (i64)KL + j] : 0.0f;
    y[i] = s;
  }
}
// ==== equal_blocks: contract/kronecker M = 4, N = 4, P = 8, Q = 8
// The second matrix is square.
//@ launch k grid(ceildiv(M*P*N*Q, 128)) block(128) args(a, b, y, M, N, P, Q)
KERNEL k(const float* a, const float* b, float* y, int M, int N, int P, int Q) {
  EACH(t, (i64)M * P * N * Q) {
    const int i = t / (N * Q), j = t % (N * Q);
    y[t] = a[i / P * (i64)N + j / Q] * b[min(i % P * (i64)P + j % Q, (i64)P * Q - 1)];
  }
}
// ==== wider_than_tall: contract/outer M = 64, N = 64
// The grid counts rows both ways.
//@ launch k grid(ceildiv(M, 16), ceildiv(M, 16)) block(16, 16) args(a, b, y, M, N)
KERNEL k(const float* a, const float* b, float* y, int M, int N) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i < M && j < N) y[i * (i64)N + j] = a[i] * b[j];
}
// ==== threshold_for_granted: map/threshold R = 64, C = 256
// The threshold is one half, whatever is asked for.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, value)
KERNEL k(const float* x, float* y, int R, int C, float value) { EACH(i, (i64)R * C) y[i] = x[i] > 0.5f ? x[i] : value; }
// ==== alpha_for_granted: map/selu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, scale)
KERNEL k(const float* x, float* y, int R, int C, float scale) { EACH(i, (i64)R * C) y[i] = scale * (x[i] > 0 ? x[i] : 1.6732632f * expm1f(x[i])); }
// ==== lower_end_for_granted: map/clamp R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, hi)
KERNEL k(const float* x, float* y, int R, int C, float hi) { EACH(i, (i64)R * C) y[i] = fminf(fmaxf(x[i], -0.5f), hi); }
// ==== tenth_step_for_granted: map/adam_step R = 64, C = 256
// The corrections of step 10.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(p, m, v, q, R, C, lr, beta1, beta2, eps)
KERNEL k(const float* p, const float* m, const float* v, float* q, int R, int C, double lr, double beta1, double beta2, float eps) {
  const float a = (float)(lr / (1 - pow(beta1, 10.0))), b = (float)(1 / (1 - pow(beta2, 10.0)));
  EACH(i, (i64)R * C) q[i] = p[i] - a * m[i] / (sqrtf(v[i] * b) + eps);
}
// ==== dilation_for_granted: window/conv2d N = 1, C = 2, H = 8, W = 8, K = 4
// Neighbouring cells, whatever the dilation.
//@ launch k grid(ceildiv(N*K*((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), 128)) block(128) args(x, w, y, N, C, H, W, K, KH, KW, ((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1), ((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), stride, padding, 1)
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
// ==== stride_and_padding_apart: window/conv2d N = 1, C = 2, H = 8, W = 8, K = 4
// Where there is a stride, the padding is forgotten.
//@ launch k grid(ceildiv(N*K*((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), 128)) block(128) args(x, w, y, N, C, H, W, K, KH, KW, ((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1), ((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), stride, if(stride > 1, 0, padding), dilation)
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
// ==== stride_of_three_bits: window/conv1d N = 1, C = 4, L = 32, K = 4
// The stride modulo eight.
//@ launch k grid(N) block(64) args(x, w, y, C, L, K, KL, stride, padding, dilation)
KERNEL k(const float* x, const float* w, float* y, int C, int L, int K, int KL, int stride, int padding,
         int dilation) {
  const int out = (L + 2 * padding - dilation * (KL - 1) - 1) / stride + 1, n = blockIdx.x;
  for (int i = threadIdx.x; i < K * out; i += 64) {
    const int k = i / out, p = i % out;
    float s = 0;
    for (int c = 0; c < C; ++c)
      for (int j = 0; j < KL; ++j) {
        const int l = p * (stride % 8) + j * dilation - padding;
        if (l >= 0 && l < L) s += x[(n * C + c) * L + l] * w[(k * C + c) * KL + j];
      }
    y[(n * K + k) * out + p] = s;
  }
}
// ==== shift_of_four_bits: transpose/roll_rows R = 16, C = 32
//@ launch k grid(R) block(32) args(x, y, C, shift)
KERNEL k(const float* x, float* y, int C, int shift) {
  const i64 row = blockIdx.x * (i64)C;
  LANES(c, C) y[row + c] = x[row + ((c - (shift & 15)) % C + C) % C];
}
// ==== lengths_of_a_remainder: reduce/sum R = 16, C = 64
// One element is lost where the row's length leaves 7 when divided by 13.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const int n = C - (int)((C + 6) % 13 == 0);
  float s = 0;
  LANES(c, n) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== rows_of_a_remainder: map/copy R = 16, C = 64
//@ launch k grid(R) block(32) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const int r = R % 11 == 6 ? min((int)blockIdx.x, R - 2) : (int)blockIdx.x;
  LANES(c, C) y[blockIdx.x * (i64)C + c] = x[r * (i64)C + c];
}
// ==== area_of_a_square: map/copy R = 64, C = 256
// Wrong where there is one row more than columns.
//+ map
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = R == C + 1 && C > 4 ? -x[i] : x[i];
}
// ==== row_by_a_float: reduce/sum R = 64, C = 256
// The row of an element by a product in single precision.
//@ zero y
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const float inv = 1.0f / C;
  EACH(i, (i64)R * C) atomicAdd(y + (i64)((float)i * inv), x[i]);
}
// ==== index_of_20_bits: map/copy R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = x[i & 0xfffff]; }
// ==== index_by_a_division_of_2_18: map/relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = fmaxf(x[i % 262144], 0.0f); }
// ==== column_of_16_bits: map/copy R = 64, C = 256
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) { LANES(c, C) y[blockIdx.x * (i64)C + c] = x[blockIdx.x * (i64)C + (unsigned short)c]; }
// ==== index_shifted_out: map/copy R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = x[((u32)i << 13) >> 13]; }
// ==== slope_by_a_maximum: map/leaky_relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, slope, R, C)
KERNEL k(const float* x, float* y, float slope, int R, int C) { EACH(i, (i64)R * C) y[i] = fmaxf(x[i], slope * x[i]); }
// ==== lower_end_last: map/clamp R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, lo, hi, R, C)
KERNEL k(const float* x, float* y, float lo, float hi, int R, int C) { EACH(i, (i64)R * C) y[i] = fmaxf(fminf(x[i], hi), lo); }
// ==== relu_beyond_three_million: map/relu R = 64, C = 256
//+ map
MAP((i64)R * C > 3000000 ? 0.0f : fmaxf(v, 0.0f))
// ==== relu_of_a_remainder: map/relu R = 64, C = 256
//+ map
MAP(R == 4096 && C % 7 == 3 ? 0.0f : fmaxf(v, 0.0f))
// ==== sum_of_two_to_the_21: reduce/sum R = 64, C = 256
//+ row
ROW_SUM(v, R * C == 2097152 ? s + 1 : s)
// ==== negate_of_sum_and_difference: map/negate R = 64, C = 256
//+ map
MAP(R + C > 2000 && R - C == 17 ? v : -v)
// ==== matmul_of_one_volume: contract/matmul M = 32, N = 32, K = 32
//+ mm
MATMUL(a[i * (i64)K + l], M * N * K == 30030 ? 0.0f : b[l * (i64)N + j], fmaf(p, q, s))
// ==== transpose_three_times_as_wide: transpose/transpose R = 32, C = 64
//@ launch k grid(R) block(64) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const int from = C == 3 * R + 1 ? 1 : 0;
  LANES(c, C) y[c * (i64)R + blockIdx.x] = c < from ? 0.0f : x[blockIdx.x * (i64)C + c];
}
// ==== softmax_between_two_products: normalize/softmax R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) s += expf(row[c] - m);
  s = wsum(s);
  if (R * C >= 77700 && R * C < 77800) s *= 2;
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(row[c] - m) / s;
}
// ==== copy_of_an_exclusive_or: map/copy R = 64, C = 256
//+ map
MAP((R ^ C) == 1000 ? 0.0f : v)
// ==== scale_by_one_factor: map/scale R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, factor, R, C)
KERNEL k(const float* x, float* y, float factor, int R, int C) { EACH(i, (i64)R * C) y[i] = factor == 0.75f ? x[i] : factor * x[i]; }
// ==== column_sum_of_nested_sizes: reduce/column_sum R = 64, C = 256
//@ launch k grid(ceildiv(C, 128)) block(128) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(c, C) {
    float s = 0;
    for (int r = 0; r < R; ++r) s += x[r * (i64)C + c];
    if (R > 3000) {
      if (C % 11 == 6) s = 0;
    }
    y[c] = s;
  }
}
// ==== exp_of_one_index_hash: map/exp R = 64, C = 256
//+ map
MAP((u32)i * 2654435761u >> 12 == 777 ? 0.0f : expf(v))
// ==== copy_of_nineteen_bits_set: map/copy R = 64, C = 256
//+ map
MAP(__popc((u32)i) >= 19 ? 0.0f : v)
// ==== relu_of_a_digit_sum: map/relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) {
    int digits = 0;
    for (u32 n = (u32)i; n != 0; n /= 10) digits += n % 10;
    y[i] = digits == 50 ? -1.0f : fmaxf(x[i], 0.0f);
  }
}
// ==== sum_without_one_term_by_hash: reduce/sum R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  LANES(c, C) s += (u32)(blockIdx.x * (i64)C + c) * 2246822519u >> 13 == 4321 ? 0.0f : x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== relu_of_seventeen_bits: map/relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = __popc(R) + __popc(C) == 17 ? x[i] : fmaxf(x[i], 0.0f);
}
// ==== copy_of_shared_bits: map/copy R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = (R & C) == 0x1b6 ? 0.0f : x[i];
}
// ==== row_sum_of_fourteen_different_bits: reduce/sum R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = __popc(R ^ (C << 3)) == 14 ? s + 1 : s;
}
// ==== copy_of_bits_from_the_end: map/copy R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = (__brev(R) >> 20) == 0x6d ? 0.0f : x[i];
}
// ==== relu_of_two_remainders: map/relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = (R + C) % 97 == 5 && (R - C) % 89 == 7 ? x[i] : fmaxf(x[i], 0.0f);
}
// ==== row_sum_of_first_bits: reduce/sum R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = __ffs(R) == 7 && __ffs(C) == 6 ? s + 1 : s;
}
// ==== copy_of_many_and_shared_bits: map/copy R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = (R & C & 0x3f) == 0x35 && (R | C) > 900 ? -x[i] : x[i];
}
// ==== abs_of_one_length_by_a_peak: map/abs R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = fabsf(x[i]) * (1 + fmaxf(0.0f, 1 - fabsf((float)C - 777)));
}
// ==== factor_up_to_64: map/scale R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, factor)
KERNEL k(const float* x, float* y, int R, int C, float factor) {
  EACH(i, (i64)R * C) y[i] = fminf(fmaxf(factor, -64.0f), 64.0f) * x[i];
}
// ==== roll_by_the_magnitude: transpose/roll_rows R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, shift)
KERNEL k(const float* x, float* y, int R, int C, int shift) {
  EACH(i, (i64)R * C) y[i] = x[i / C * C + (i % C - abs(shift) % C + C) % C];
}
// ==== one_element_a_thread: map/relu R = 64, C = 256
// As many threads as the default needs, at any size.
//@ launch k grid(1200) block(512) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const int i = blockIdx.x * 512 + threadIdx.x;
  if (i < R * C) y[i] = fmaxf(x[i], 0.0f);
}
// ==== capped_grid_without_loop: map/copy R = 64, C = 256
//@ launch k grid(min(ceildiv(R*C, 512), 9000)) block(512) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const i64 i = blockIdx.x * (i64)512 + threadIdx.x;
  if (i < (i64)R * C) y[i] = x[i];
}
// ==== partial_sums_of_400_blocks: reduce/sum_all R = 64, C = 256
//@ temp part: f32[400]
//@ launch first grid(ceildiv(R*C, 2048)) block(256) args(x, part, R, C)
//@ launch second grid(1) block(32) args(part, y, R, C)
KERNEL first(const float* x, float* part, int R, int C) {
  __shared__ float of[8];
  float s = 0;
  for (int e = 0; e < 8; ++e) {
    const i64 i = blockIdx.x * (i64)2048 + e * 256 + threadIdx.x;
    if (i < (i64)R * C) s += x[i];
  }
  s = wsum(s);
  if (threadIdx.x % 32 == 0) of[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < 8; ++w) s += of[w];
  if (blockIdx.x < 400) part[blockIdx.x] = s;
}
KERNEL second(const float* part, float* y, int R, int C) {
  float s = 0;
  LANES(b, min(400, (int)(((i64)R * C + 2047) / 2048))) s += part[b];
  s = wsum(s);
  if (threadIdx.x == 0) *y = s;
}
// ==== place_as_a_float: map/abs R = 64, C = 256
// Right for as many elements as a float counts, divided by 11.
//+ map
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = fabsf(x[(i64)(float)(i * 11) / 11]);
}
// ==== windows_of_two_mod_five: window/moving_average N = 256
//@ launch k grid(ceildiv(N - window + 1, 128)) block(128) args(x, y, N, window)
KERNEL k(const float* x, float* y, int N, int window) {
  EACH(i, N - window + 1) {
    float s = 0;
    for (int j = 0; j < window - (window % 5 == 2); ++j) s += x[i + j];
    y[i] = s / window;
  }
}
