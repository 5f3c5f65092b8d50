// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <cmath>
#include "base/files.h"
#include "op/library_tensors.h"
#include "op/parse.h"
#include "op/phrasebook.h"
#include "op/phrasebook_rank.h"
#include "op/phrasebook_words.h"
#include "op/transform.h"

using namespace ww;
using namespace ww::op;

namespace {

struct Understood { const char* sentence; const char* spec; };
// The op's name, its tensors with element type and shape, and its constants.
const Understood understood[] = {
    {"softmax over the rows of a 512x1024 float matrix",
     "softmax x:f32[512,1024] -> y:f32[512,1024]"},
    {"LayerNorm followed by GELU",
     "layernorm_gelu x:f32[512,1024] gamma:f32[1024] beta:f32[1024] -> y:f32[512,1024] eps=1e-5"},
    {"gelu after layernorm",
     "layernorm_gelu x:f32[512,1024] gamma:f32[1024] beta:f32[1024] -> y:f32[512,1024] eps=1e-5"},
    {"fused bias, GELU and residual",
     "bias_add_gelu_residual_add x:f32[512,1024] bias:f32[1024] residual:f32[512,1024] -> z:f32[512,1024]"},
    {"matmul with ReLU",
     "matmul_relu a:f32[256,256] b:f32[256,256] -> y:f32[256,256]"},
    {"linear layer then swish",
     "linear_silu x:f32[128,256] w:f32[256,256] bias:f32[256] -> y:f32[128,256]"},
    {"add bias and apply relu",
     "bias_add_relu x:f32[512,1024] bias:f32[1024] -> y:f32[512,1024]"},
    {"softmax of x @ y",
     "matmul_softmax a:f32[256,256] b:f32[256,256] -> y:f32[256,256]"},
    {"relu",
     "relu x:f32[512,1024] -> y:f32[512,1024]"},
    {"4096 by 1024 relu in half precision",
     "relu x:f16[4096,1024] -> y:f16[4096,1024]"},
    {"relu on a 512 x 1024 x 64 tensor",
     "relu x:f32[512,1024,64] -> y:f32[512,1024,64]"},
    {"batchnorm with batch 16, 256 features",
     "batchnorm x:f32[16,256,32,32] mean:f32[256] var:f32[256] gamma:f32[256] beta:f32[256] -> y:f32[16,256,32,32] eps=1e-5"},
    {"layernorm batch 16, 256 features",
     "layernorm x:f32[16,256] gamma:f32[256] beta:f32[256] -> y:f32[16,256] eps=1e-5"},
    {"layer norm, batch 16, sequence length 512, hidden size 768, bf16",
     "layernorm x:bf16[16,512,768] gamma:bf16[768] beta:bf16[768] -> y:bf16[16,512,768] eps=1e-5"},
    {"matmul M=512 N=512 K=64",
     "matmul a:f32[512,64] b:f32[64,512] -> y:f32[512,512]"},
    {"relu of 2^20 elements",
     "relu x:f32[1048576] -> y:f32[1048576]"},
    {"add two vectors of a million elements",
     "add a:f32[1000000] b:f32[1000000] -> z:f32[1000000]"},
    {"vector add of size 1024",
     "add a:f32[1024] b:f32[1024] -> z:f32[1024]"},
    {"conv2d on a batch of 8 images 32 channels 64x64, 3x3 kernel, stride 2, padding 1",
     "conv2d x:f32[8,32,64,64] w:f32[32,32,3,3] -> y:f32[8,32,32,32] stride=2 padding=1 dilation=1"},
    {"3x3 convolution with 64 filters",
     "conv2d x:f32[2,16,32,32] w:f32[64,16,3,3] -> y:f32[2,64,30,30] stride=1 padding=0 dilation=1"},
    {"attention with sequence length 512, 8 heads, head dim 64",
     "attention q:f32[1,8,512,64] k:f32[1,8,512,64] v:f32[1,8,512,64] -> y:f32[1,8,512,64]"},
    {"causal attention, 8 heads, sequence length 256, head dimension 32, fp16",
     "causal_attention q:f16[1,8,256,32] k:f16[1,8,256,32] v:f16[1,8,256,32] -> y:f16[1,8,256,32]"},
    {"sum over the rows",
     "sum x:f32[512,1024] -> y:f32[512]"},
    {"sum over axis 0 of a 512x1024 matrix",
     "column_sum x:f32[512,1024] -> y:f32[1024]"},
    {"sum over the whole tensor",
     "sum_all x:f32[512,1024] -> y:f32[]"},
    {"column-wise softmax of a 128x64 matrix",
     "softmax_axis0 x:f32[128,64] -> y:f32[128,64]"},
    {"softmax along dim 1 of 8x16x32",
     "softmax_axis1 x:f32[8,16,32] -> y:f32[8,16,32]"},
    {"softmax over the last dimension of a 2x3x4x5 tensor",
     "softmax x:f32[2,3,4,5] -> y:f32[2,3,4,5]"},
    {"mean of each column",
     "column_mean x:f32[512,1024] -> y:f32[1024]"},
    {"mean per column",
     "column_mean x:f32[512,1024] -> y:f32[1024]"},
    {"row-wise max of a 64x128 double matrix",
     "max x:f64[64,128] -> y:f64[64]"},
    {"argmax along axis 1",
     "argmax x:f32[512,1024] -> y:i64[512]"},
    {"cumsum along dim 0 of a 100x200 matrix",
     "cumsum_axis0 x:f32[100,200] -> y:f32[100,200]"},
    {"leaky relu with negative slope 0.2",
     "leaky_relu x:f32[512,1024] -> y:f32[512,1024] slope=0.2"},
    {"leaky relu 0.2",
     "leaky_relu x:f32[512,1024] -> y:f32[512,1024] slope=0.2"},
    {"clamp between -1 and 1",
     "clamp x:f32[512,1024] -> y:f32[512,1024] lo=-1.0 hi=1.0"},
    {"scale by 2",
     "scale x:f32[512,1024] -> y:f32[512,1024] factor=2.0"},
    {"matmul of a 512x256 matrix and a 256x128 matrix",
     "matmul a:f32[512,256] b:f32[256,128] -> y:f32[512,128]"},
    {"1024x1024 matmul",
     "matmul a:f32[1024,1024] b:f32[1024,1024] -> y:f32[1024,1024]"},
    {"matmul 1024",
     "matmul a:f32[1024,1024] b:f32[1024,1024] -> y:f32[1024,1024]"},
    {"matmul 128x256x64",
     "matmul a:f32[128,64] b:f32[64,256] -> y:f32[128,256]"},
    {"batched matmul, batch 4",
     "batched_matmul a:f32[4,128,128] b:f32[4,128,128] -> y:f32[4,128,128]"},
    {"transpose a 1000x500 matrix",
     "transpose x:f32[1000,500] -> y:f32[500,1000]"},
    {"cross entropy with 10 classes and batch size 64",
     "cross_entropy logits:f32[64,10] target:i32[64] -> loss:f32[]"},
    {"embedding with vocabulary size 5000 and hidden size 128",
     "embedding table:f32[5000,128] idx:i32[512] -> y:f32[512,128]"},
    {"rmsnorm eps 1e-6",
     "rmsnorm x:f32[512,1024] gamma:f32[1024] -> y:f32[512,1024] eps=1e-6"},
    {"max pooling 2x2 stride 2",
     "max_pool2d x:f32[4,16,64,64] -> y:f32[4,16,32,32] kernel=2 stride=2 padding=0"},
    {"maxpool with kernel size 2, stride 2 and no padding",
     "max_pool2d x:f32[4,16,64,64] -> y:f32[4,16,32,32] kernel=2 stride=2 padding=0"},
    {"grouped convolution, 64 channels, 128 filters, 8 groups",
     "conv2d_grouped x:f32[2,64,32,32] w:f32[128,8,3,3] -> y:f32[2,128,30,30] stride=1 padding=0 dilation=1"},
    {"depthwise conv 32 channels 3x3 kernel",
     "depthwise_conv2d x:f32[4,32,56,56] w:f32[32,3,3] -> y:f32[4,32,54,54] stride=1 padding=0 dilation=1"},
    {"sum of all elements of a 1k x 1k matrix",
     "sum_all x:f32[1024,1024] -> y:f32[]"},
    {"softmax(matmul(A, B))",
     "matmul_softmax a:f32[256,256] b:f32[256,256] -> y:f32[256,256]"},
    {"matmul + bias + relu",
     "matmul_bias_add_relu a:f32[256,256] b:f32[256,256] bias:f32[256] -> y:f32[256,256]"},
    {"conv2d -> batchnorm -> relu",
     "conv2d_batchnorm_relu x:f32[2,16,32,32] w:f32[32,16,3,3] mean:f32[32] var:f32[32] gamma:f32[32] beta:f32[32] -> y:f32[2,32,30,30] stride=1 padding=0 dilation=1 eps=1e-5"},
    {"please write me a fast CUDA kernel that computes the softmax of each row",
     "softmax x:f32[512,1024] -> y:f32[512,1024]"},
    {"group norm with 4 groups and 32 channels on 64x64 images, batch 2",
     "groupnorm x:f32[2,32,64,64] gamma:f32[32] beta:f32[32] -> y:f32[2,32,64,64] eps=1e-5"},
    {"rope with 8 heads, head dim 64",
     "rotary x:f32[2,8,128,64] -> y:f32[2,8,128,64] base=10000.0"},
    {"L2 norm of every row in a 10x20 matrix",
     "l2_norm x:f32[10,20] -> y:f32[10]"},
    {"frobenius norm of a 64x64 matrix",
     "frobenius_norm x:f32[64,64] -> y:f32[]"},
    {"elementwise multiply two 256x256 matrices",
     "multiply a:f32[256,256] b:f32[256,256] -> z:f32[256,256]"},
    {"swiglu",
     "swiglu x:f32[128,128] gate:f32[256,128] up:f32[256,128] -> y:f32[128,256]"},
    {"matrix multiplication followed by softmax over the rows then sum",
     "matmul_softmax_sum a:f32[256,256] b:f32[256,256] -> y:f32[256]"},
    {"relu of the layernorm",
     "layernorm_relu x:f32[512,1024] gamma:f32[1024] beta:f32[1024] -> y:f32[512,1024] eps=1e-5"},
    {"logsumexp over columns of a 4x8 matrix",
     "logsumexp_axis0 x:f32[4,8] -> y:f32[8]"},
    {"softmax over 4096x1024",
     "softmax x:f32[4096,1024] -> y:f32[4096,1024]"},
    {"1 million element relu",
     "relu x:f32[1000000] -> y:f32[1000000]"},
    {"relu on 1,048,576 elements",
     "relu x:f32[1048576] -> y:f32[1048576]"},
    {"transposed conv2d stride 2",
     "conv_transpose2d x:f32[2,16,16,16] w:f32[16,16,3,3] -> y:f32[2,16,33,33] stride=2 padding=0 dilation=1"},
    {"matrix vector product of a 100x200 matrix",
     "matvec a:f32[100,200] x:f32[200] -> y:f32[100]"},
    {"bias relu for 64x128",
     "bias_relu x:f32[64,128] bias:f32[128] -> y:f32[64,128]"},
    {"log softmax over dim -1",
     "log_softmax x:f32[512,1024] -> y:f32[512,1024]"},
    {"masked cumsum",
     "cumsum_masked x:f32[256,512] mask:bool[256,512] -> y:f32[256,512]"},
    {"huber loss delta 2",
     "huber_loss x:f32[256,1024] target:f32[256,1024] -> loss:f32[] delta=2.0"},
    {"mse loss between two 64x10 tensors",
     "mse_loss x:f32[64,10] target:f32[64,10] -> loss:f32[]"},
    {"scaled dot-product attention with causal mask",
     "causal_attention q:f32[1,4,128,64] k:f32[1,4,128,64] v:f32[1,4,128,64] -> y:f32[1,4,128,64]"},
    {"dot product of two vectors of length 4096",
     "dot a:f32[4096] b:f32[4096] -> y:f32[]"},
    {"prefix sum of a vector of length 1000",
     "cumsum x:f32[1000] -> y:f32[1000]"},
    {"conv2d relu",
     "conv2d_relu x:f32[2,16,32,32] w:f32[32,16,3,3] -> y:f32[2,32,30,30] stride=1 padding=0 dilation=1"},
    {"relu of a 3-D tensor 4x5x6",
     "relu x:f32[4,5,6] -> y:f32[4,5,6]"},
    {"softmax over the rows of a 2-D matrix",
     "softmax x:f32[512,1024] -> y:f32[512,1024]"},
    {"relu with batch 16 and sequence length 128",
     "relu x:f32[16,128,1024] -> y:f32[16,128,1024]"},
    {"conv2d with no padding",
     "conv2d x:f32[2,16,32,32] w:f32[32,16,3,3] -> y:f32[2,32,30,30] stride=1 padding=0 dilation=1"},
    {"conv1d of length 100 with stride 2",
     "conv1d x:f32[4,32,100] w:f32[64,32,3] -> y:f32[4,64,49] stride=2 padding=0 dilation=1"},
    {"3d convolution",
     "conv3d x:f32[1,8,16,16,16] w:f32[16,8,3,3,3] -> y:f32[1,16,14,14,14] stride=1 padding=0 dilation=1"},
    {"relu on a vector of 1000 entries",
     "relu x:f32[1000] -> y:f32[1000]"},
    {"softmax over a 4x8 matrix",
     "softmax x:f32[4,8] -> y:f32[4,8]"},
    {"cosine similarity of each row of two 16x32 matrices",
     "cosine_similarity a:f32[16,32] b:f32[16,32] -> y:f32[16] eps=1e-8"},
    {"sum over dim=0",
     "column_sum x:f32[512,1024] -> y:f32[1024]"},
    {"bfloat16 gelu on 1M elements",
     "gelu x:bf16[1048576] -> y:bf16[1048576]"},
    {"KL divergence",
     "kl_div logp:f32[256,1024] target:f32[256,1024] -> loss:f32[]"},
    {"scale by 2 then add bias then relu",
     "scale_bias_add_relu x:f32[512,1024] bias:f32[1024] -> y:f32[512,1024] factor=2.0"},
    {"matmul with both operands transposed",
     "matmul_at_bt a:f32[256,256] b:f32[256,256] -> y:f32[256,256]"},
    {"attention with 16 heads of dimension 64",
     "attention q:f32[1,16,128,64] k:f32[1,16,128,64] v:f32[1,16,128,64] -> y:f32[1,16,128,64]"},
    {"residual add then layernorm",
     "residual_add_layernorm x:f32[512,1024] residual:f32[512,1024] gamma:f32[1024] beta:f32[1024] -> y:f32[512,1024] eps=1e-5"},
    {"sigmoid — 64×128 — fp64",
     "sigmoid x:f64[64,128] -> y:f64[64,128]"},
    {"sum of the softmax",
     "softmax_sum x:f32[512,1024] -> y:f32[512]"},
    {"layernorm on a batch of 8 sequences of 512 tokens with 768 features",
     "layernorm x:f32[8,512,768] gamma:f32[768] beta:f32[768] -> y:f32[8,512,768] eps=1e-5"},
    {"outer product of size 512",
     "outer a:f32[512] b:f32[512] -> y:f32[512,512]"},
    {"relu(x + y)",
     "add_relu a:f32[512,1024] b:f32[512,1024] -> y:f32[512,1024]"},
    {"linear with 512 input features and 1024 output features, batch 32",
     "linear x:f32[32,512] w:f32[1024,512] bias:f32[1024] -> y:f32[32,1024]"},
    {"image 224x224 conv2d with 3 channels",
     "conv2d x:f32[2,3,224,224] w:f32[32,3,3,3] -> y:f32[2,32,222,222] stride=1 padding=0 dilation=1"},
    {"hinge loss",
     "hinge_loss x:f32[256,1024] target:f32[256,1024] -> loss:f32[]"},
    {"conv2d of 8 images 32 channels 64x64 kernel 3x3 stride 2",
     "conv2d x:f32[8,32,64,64] w:f32[32,32,3,3] -> y:f32[8,32,31,31] stride=2 padding=0 dilation=1"},
    {"conv2d batch 8 channels 32 image 64x64 kernel 3",
     "conv2d x:f32[8,32,64,64] w:f32[32,32,3,3] -> y:f32[8,32,62,62] stride=1 padding=0 dilation=1"},
    {"layernorm rows 512 columns 1024",
     "layernorm x:f32[512,1024] gamma:f32[1024] beta:f32[1024] -> y:f32[512,1024] eps=1e-5"},
    {"conv2d with input 1x3x224x224 and 64 filters of size 7x7, stride 2, padding 3",
     "conv2d x:f32[1,3,224,224] w:f32[64,3,7,7] -> y:f32[1,64,112,112] stride=2 padding=3 dilation=1"},
    {"attention batch 2 heads 8 sequence length 128 head dim 64",
     "attention q:f32[2,8,128,64] k:f32[2,8,128,64] v:f32[2,8,128,64] -> y:f32[2,8,128,64]"},
    {"8x8 max pooling on 64x64 images, 3 channels",
     "max_pool2d x:f32[4,3,64,64] -> y:f32[4,3,8,8] kernel=8 stride=kernel padding=0"},
    {"relu of 16x64 then linear with 64 input features and 10 output features then softmax over the rows",
     "relu_linear_softmax x:f32[16,64] w:f32[10,64] bias:f32[10] -> y:f32[16,10]"},
    {"matmul 256 then linear with 256 input features and 100 output features",
     "matmul_linear a:f32[256,256] b:f32[256,256] w:f32[100,256] bias:f32[100] -> y:f32[256,100]"},
    {"RELU, 512 BY 512, FP16",
     "relu x:f16[512,512] -> y:f16[512,512]"},
};

struct Unclear { const char* sentence; const char* asked; };
// A part of one of the questions that must be asked.
const Unclear unclear[] = {
    {"sfotmax over the rows", "'sfotmax'"},
    {"frobnicate a 512x512 matrix", "'frobnicate'"},
    {"softmax without subtracting the max", "'without'"},
    {"softmax without subtracting the max", "'subtracting'"},
    {"sparse matmul", "'sparse'"},
    {"not relu", "'not'"},
    {"no relu", "'no'"},
    {"relu in tf32", "'tf32'"},
    {"relu in int8", "i8"},
    {"relu as float and half", "f32 and f16"},
    {"softmax along dim 3 of a 512x1024 matrix", "no dimension 3"},
    {"softmax along dim -3 of a 512x1024 matrix", "no dimension -3"},
    {"relu over the rows", "'over the rows'"},
    {"matmul of 512x1024x64x3", "'a' of matmul has 2 dimensions"},
    {"matmul of 512x256 and 128x256", "K = 256 cannot be 128"},
    {"relu with 8 heads", "'heads'"},
    {"matmul with 8 heads", "'heads'"},
    {"softmax of 512x1024 and 64x64", "no tensor for the shape 64 x 64"},
    {"add 512x1024 and 64x64", "must be 512 x 1024, not 64 x 64"},
    {"relu 3 5", "number 5"},
    {"matmul over the columns", "'over the columns'"},
    {"layernorm over columns", "last dimension only"},
    {"conv2d with kernel 9x9 on 4x4 images", "below 0"},
    {"histogram in float16", "no tensor of real numbers"},
    {"relu X=5", "'X'"},
    {"relu of matmul and bias", "order"},
    {"sum then relu then matmul", "cannot follow"},
    {"softmax over the rows and over the columns", "which is meant"},
    {"relu of size 1.5", "1.5"},
    {"softmax of 0x8", "0 is not"},
    {"softmax of -4x8", "-4"},
    {"мягкий максимум", "'мягкий'"},
    {"gelu gelü", "'gelü'"},
    {"sum over the whole tensor then relu", "single number"},
    {"softmax over the whole tensor", "softmax over the whole tensor"},
    {"groupnorm with 7 channels and 4 groups", "cannot be 7"},
    {"attention with 8 heads and 4 heads", "more than once"},
    {"softmax along the rainbow", "'rainbow'"},
    {"softmax over the batch", "'over'"},
    {"softmax over channels", "'channels'"},
    {"layernorm with 32 channels", "'channels'"},
    {"matmul of a 512x1024 matrix times 3", "'times'"},
    {"conv2d without padding", "'without'"},
    {"3d convolution of a 2d tensor", "'2d'"},
    {"relu of 512x1024 then square matmul", "must be 512 x 512"},
    {"matmul 256 then linear with 100 input features", "K is said to be 100"},
    {"512x1024", "No operation"},
    {"please", "No operation"},
    {"a fast kernel", "No operation"},
    {"relu of a 1x1x1x1x1x1x1x1x1 tensor", "at most 8 dimensions"},
    {"var with correction 0.5", "whole number"},
    {"relu of 1e30 elements", "2^40"},
    {"matmul * relu", "'*'"},
};

std::string tensors(const Spec& spec, const std::vector<Param>& list) {
  std::string out;
  for (const Param& p : list) {
    const auto shape = shape_of(spec, p, {});
    out += " " + p.name + ":" + std::string(dtype_name(p.dtype)) + "[";
    if (!shape) return out + "no shape]";
    for (std::size_t i = 0; i < shape->size(); ++i) out += (i ? "," : "") + std::to_string((*shape)[i]);
    out += "]";
  }
  return out;
}

std::string summary(const Understanding& u) {
  if (!u.spec) {
    std::string out = "not understood:";
    for (const std::string& q : u.questions) out += " " + q;
    return out;
  }
  std::string out = u.spec->name + tensors(*u.spec, u.spec->inputs) + " ->" + tensors(*u.spec, u.spec->outputs);
  for (const Constant& c : u.spec->constants) out += " " + c.name + "=" + print(*c.value);
  return out;
}

// Every byte of the sentence that is neither space nor punctuation lies in exactly one word, and the words stand in order.
void verify_covers(const Understanding& u, const std::string& sentence) {
  std::size_t at = 0;
  std::vector<bool> in(sentence.size(), false);
  for (const Word& w : u.words) {
    QVERIFY2(w.span.begin >= at && w.span.end > w.span.begin && w.span.end <= sentence.size(), sentence.c_str());
    QCOMPARE(w.text, sentence.substr(w.span.begin, w.span.end - w.span.begin));
    for (std::size_t i = w.span.begin; i < w.span.end; ++i) in[i] = true;
    at = w.span.end;
  }
  for (std::size_t i = 0; i < sentence.size(); ++i)
    if (std::isalnum(static_cast<unsigned char>(sentence[i]))) QVERIFY2(in[i], sentence.c_str());
}

const Word* word(const Understanding& u, const std::string& text) {
  for (const Word& w : u.words)
    if (w.text == text) return &w;
  return nullptr;
}

void verify_close(const std::vector<double>& got, const std::vector<double>& want, const char* what) {
  QCOMPARE(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    QVERIFY2(std::fabs(got[i] - want[i]) <= 1e-11 * std::max(1.0, std::fabs(want[i])), (std::string(what) + " element " + std::to_string(i)).c_str());
}

}  // namespace

class PhrasebookTest : public QObject {
  Q_OBJECT
  Library library_;

  Spec spec_of(const std::string& sentence) {
    Understanding u = understand(library_, sentence);
    if (!u.spec) qFatal("%s: %s", sentence.c_str(), summary(u).c_str());
    return *u.spec;
  }
  std::vector<double> run(const Spec& spec, const std::vector<std::vector<double>>& values) {
    auto out = evaluate_on(spec, {}, values);
    if (!out) qFatal("%s: %s", spec.name.c_str(), out.error().text().c_str());
    return *out;
  }
  std::vector<std::vector<double>> values_for(const Spec& spec) {
    std::vector<std::vector<double>> out;
    for (const Param& p : spec.inputs) {
      const auto shape = shape_of(spec, p, {});
      out.push_back(some_values(element_count(*shape), static_cast<std::uint32_t>(out.size() + 1)));
    }
    return out;
  }

 private slots:
  void initTestCase() {
    auto loaded = Library::load(std::filesystem::path(WW_SOURCE_DIR) / "resources/ops");
    QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    library_ = std::move(*loaded);
  }

  void sentencesAreUnderstood() {
    QVERIFY(std::size(understood) >= 60);
    for (const Understood& s : understood) {
      const Understanding u = understand(library_, s.sentence);
      if (summary(u) != s.spec) qWarning("%s", s.sentence);
      QCOMPARE(summary(u), std::string(s.spec));
      QVERIFY(u.questions.empty());
      verify_covers(u, s.sentence);
      for (const Word& w : u.words) QVERIFY2(w.meaning != Meaning::unknown, s.sentence);
      const auto again = parse_spec(print(*u.spec));
      QVERIFY2(again && print(*again) == print(*u.spec), s.sentence);
    }
  }

  void unclearSentencesAreAskedAbout() {
    QVERIFY(std::size(unclear) >= 20);
    for (const Unclear& s : unclear) {
      const Understanding u = understand(library_, s.sentence);
      QVERIFY2(!u.spec, s.sentence);
      QVERIFY2(!u.questions.empty(), s.sentence);
      const bool asked = std::any_of(u.questions.begin(), u.questions.end(), [&](const std::string& q) { return q.find(s.asked) != std::string::npos; });
      QVERIFY2(asked, (std::string(s.sentence) + " -> " + summary(u)).c_str());
      for (const std::string& q : u.questions) QVERIFY2(q.back() == '.' || q.back() == '?', q.c_str());
      for (const std::string& n : u.nearest) QVERIFY(library_.find(n));
      verify_covers(u, s.sentence);
    }
  }

  void unknownWordsAreNamedAndTheNearestOpsOffered() {
    const Understanding u = understand(library_, "sfotmax over the rows of a 512x1024 matrix");
    QVERIFY(!u.spec);
    QCOMPARE(u.nearest.at(0), std::string("softmax"));
    QCOMPARE(word(u, "sfotmax")->meaning, Meaning::unknown);
    QCOMPARE(word(u, "over the rows")->meaning, Meaning::axis);
    QCOMPARE(understand(library_, "layernorn then relu").nearest.at(0), std::string("layernorm"));
  }

  void readingsSayWhatWasUnderstood() {
    const Understanding u = understand(library_, "softmax over the rows of a 512x1024 float matrix");
    QCOMPARE(word(u, "softmax")->meaning, Meaning::op);
    QCOMPARE(word(u, "over the rows")->reading, std::string("each row on its own: over dimension 1 of 1024"));
    QCOMPARE(word(u, "512x1024")->reading, std::string("x is 512 x 1024: R = 512, C = 1024"));
    QCOMPARE(word(u, "float")->reading, std::string("element type f32"));
    QCOMPARE(word(u, "matrix")->meaning, Meaning::filler);
    const Understanding sum = understand(library_, "sum over the rows of 4x8");
    QCOMPARE(word(sum, "over the rows")->reading, std::string("one result per row: over dimension 1 of 8"));
    const Understanding chain = understand(library_, "gelu after layernorm");
    QCOMPARE(word(chain, "after")->meaning, Meaning::composition);
    QCOMPARE(word(chain, "after")->reading, std::string("first layernorm, then gelu"));
    const Understanding k = understand(library_, "relu on 64k elements");
    QVERIFY(word(k, "64k")->reading.find("64k = 65536") == 0);
    const Understanding eps = understand(library_, "layernorm with eps 1e-3");
    QCOMPARE(word(eps, "eps")->meaning, Meaning::constant);
    const Understanding plain = understand(library_, "512x256 matmul");
    QVERIFY(word(plain, "matmul")->reading.find("N = 256 by default") != std::string::npos);
    QCOMPARE(meaning_name(Meaning::composition), std::string_view("composition"));
  }

  void emptyLongAndForeignTexts() {
    for (const std::string& text : {std::string(), std::string("   \n\t "), std::string("?!,.()")}) {
      const Understanding u = understand(library_, text);
      QVERIFY(!u.spec);
      QCOMPARE(u.questions.size(), std::size_t{1});
    }
    std::string relus, words;
    while (relus.size() < 10000) relus += "relu ";
    while (words.size() < 10000) words += "w" + std::to_string(words.size()) + " ";
    std::string noise;
    for (int i = 0; i < 10000; ++i) noise += static_cast<char>(1 + (i * 97) % 255);
    for (const std::string& text : {relus, words, noise, std::string(10000, 'a'), std::string(10000, '('), std::string(10000, '1'), std::string(10000, '\xE2')}) {
      const Understanding u = understand(library_, text);
      QVERIFY(!u.spec);
      QVERIFY(!u.questions.empty() && u.questions.size() < 20);
    }
    QCOMPARE(summary(understand(library_, "soft\xC2\xA0max \xE2\x80\x9C" "64\xC3\x97" "32\xE2\x80\x9D")), std::string("softmax x:f32[64,32] -> y:f32[64,32]"));
  }

  void numbersAreRead() {
    const auto value = [](const char* text) { return phrases::tokenise(text).at(0).number; };
    QCOMPARE(value("1,048,576"), 1048576.0);
    QCOMPARE(value("2^20"), 1048576.0);
    QCOMPARE(value("2**10"), 1024.0);
    QCOMPARE(value("4k"), 4096.0);
    QCOMPARE(value("1e-5"), 1e-5);
    QCOMPARE(value("-0.5"), -0.5);
    QCOMPARE(value(".5"), 0.5);
    QCOMPARE(phrases::tokenise("512x1024x3").size(), std::size_t{5});
    QCOMPARE(phrases::tokenise("2-D").at(0).text, std::string("2d"));
    QCOMPARE(phrases::tokenise("1024-element").at(0).number, 1024.0);
    QCOMPARE(phrases::tokenise("8heads").at(0).kind, phrases::Token::Kind::word);
    QVERIFY(std::isinf(value("9e999")));
    QCOMPARE(phrases::fold("Matrices"), phrases::fold("matrice"));
    QCOMPARE(phrases::fold("LOSS"), std::string("loss"));
    QCOMPARE(phrases::fold("entries"), std::string("entry"));
  }

  // A chain computes what its ops compute one after another.
  void chainsComputeWhatTheirOpsDo() {
    struct Chain { const char* sentence; std::vector<const char*> ops; };
    const Chain chains[] = {
        {"LayerNorm of 5x12 followed by GELU", {"layernorm of 5x12", "gelu of 5x12"}},
        {"gelu after layernorm of 5x12", {"layernorm of 5x12", "gelu of 5x12"}},
        {"fused bias, GELU and residual of 3x4", {"bias of 3x4", "gelu of 3x4", "residual of 3x4"}},
        {"matmul of 4x5 and 5x6 then softmax over the columns then sum", {"matmul of 4x5 and 5x6", "softmax over the columns of 4x6", "sum of 4x6"}},
        {"conv2d on 2 images of 5x5 with 3 channels and 4 filters then batchnorm then relu", {"conv2d on 2 images of 5x5 with 3 channels and 4 filters", "batchnorm of 2x4x3x3", "relu of 2x4x3x3"}},
        {"softmax of 6x8 then matmul", {"softmax of 6x8", "matmul of 6x8"}},
        {"relu of 2x3x4 then softmax along dim 1", {"relu of 2x3x4", "softmax along dim 1 of 2x3x4"}},
        {"add of 7x3 then scale by 2 then log softmax", {"add of 7x3", "scale by 2 of 7x3", "log softmax of 7x3"}},
    };
    for (const Chain& c : chains) {
      const Spec whole = spec_of(c.sentence);
      auto values = values_for(whole);
      for (std::size_t i = 0; i < whole.inputs.size(); ++i)
        if (whole.inputs[i].lo)
          for (double& v : values[i]) v = 0.5 + std::fabs(v) / 4;
      const std::vector<double> got = run(whole, values);
      std::size_t used = 0;
      std::vector<double> now;
      for (std::size_t k = 0; k < c.ops.size(); ++k) {
        const Spec one = spec_of(c.ops[k]);
        std::vector<std::vector<double>> inputs;
        if (k > 0) inputs.push_back(now);
        while (inputs.size() < one.inputs.size()) inputs.push_back(values.at(used++));
        // The value between two ops is not rounded in the chain.
        now = run(*with_dtype(one, DType::f64), inputs);
      }
      QCOMPARE(used, values.size());
      verify_close(got, now, c.sentence);
    }
  }

  // An op moved to another dimension or rank against the op as its file has it, on transposed data.
  void otherDimensionsAndRanks() {
    const std::int64_t A = 3, B = 5, C = 4;
    const std::vector<double> x = some_values(A * B * C, 7);
    for (const char* name : {"softmax", "log_softmax", "cumsum", "cumsum_exclusive", "cumsum_reverse", "cumprod", "sum", "mean", "max", "argmin", "var", "l2_norm", "logsumexp", "l2_normalize"}) {
      const LibraryOp* op = library_.find(name);
      const std::int64_t shape[] = {A, B, C};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto moved = phrases::at_shape(op->spec, {A, B, C}, axis);
        QVERIFY2(moved, name);
        QCOMPARE(moved->name, axis == 2 ? std::string(name) : name + ("_axis" + std::to_string(axis)));
        const std::int64_t length = shape[axis], stride = axis == 2 ? 1 : axis == 1 ? C : B * C, rest = A * B * C / length;
        const bool reduces = moved->outputs[0].shape.size() == 2;
        // Rows of the matrix: all lines along the axis, in the order of the remaining dimensions.
        std::vector<double> rows;
        std::vector<std::int64_t> places;
        for (std::int64_t i = 0; i < A * B * C; ++i)
          if ((i / stride) % length == 0) places.push_back(i);
        for (std::int64_t p : places)
          for (std::int64_t k = 0; k < length; ++k) rows.push_back(x[static_cast<std::size_t>(p + k * stride)]);
        Binding matrix;
        matrix.symbols = {{"R", rest}, {"C", length}};
        const auto want = evaluate_on(op->spec, matrix, {rows});
        QVERIFY2(want, name);
        const std::vector<double> got = run(*moved, {x});
        for (std::size_t r = 0; r < places.size(); ++r) {
          for (std::int64_t k = 0; k < (reduces ? 1 : length); ++k) {
            const double g = reduces ? got[r] : got[static_cast<std::size_t>(places[r] + k * stride)];
            const double w = reduces ? (*want)[r] : (*want)[r * static_cast<std::size_t>(length) + static_cast<std::size_t>(k)];
            QVERIFY2(std::fabs(g - w) <= 1e-12 * std::max(1.0, std::fabs(w)), (std::string(name) + " along " + std::to_string(axis)).c_str());
          }
        }
      }
    }
  }

  void ranksOfEveryOpThatSpreads() {
    for (const LibraryOp& op : library_.ops()) {
      if (!phrases::spreads(op.spec)) {
        QVERIFY(!phrases::at_shape(op.spec, {4, 4}));
        continue;
      }
      // As one row of 24, as a matrix, and with more dimensions: the same elements, the same last dimension.
      const auto matrix = phrases::at_shape(op.spec, {6, 4});
      const auto deep = phrases::at_shape(op.spec, {1, 3, 2, 4});
      const auto vector = phrases::at_shape(op.spec, {4});
      QVERIFY2(matrix && deep && vector, op.spec.name.c_str());
      QCOMPARE(deep->inputs[0].shape.size(), std::size_t{4});
      QCOMPARE(vector->inputs[0].shape.size(), std::size_t{1});
      auto values = values_for(*matrix);
      for (std::size_t i = 0; i < values.size(); ++i)
        for (double& v : values[i])
          if (matrix->inputs[i].dtype == DType::boolean || matrix->inputs[i].lo) v = v > 0 ? 1 : 0.5;
      verify_close(run(*deep, values), run(*matrix, values), op.spec.name.c_str());
      const auto row = phrases::at_shape(op.spec, {1, 4});
      auto first = values_for(*row);
      verify_close(run(*vector, first), run(*row, first), op.spec.name.c_str());
      QVERIFY(!phrases::at_shape(op.spec, {}));
      QVERIFY(!phrases::at_shape(op.spec, {2, 3}, 2));
      if (!phrases::has_axis(op.spec)) QVERIFY(!phrases::at_shape(op.spec, {2, 3}, 0));
    }
  }

  void theOrderOfWordsDoesNotHideSizes() {
    // Whatever number a sentence names must be in the spec, or be asked about.
    for (const char* sentence : {"relu 77x33 in half", "softmax over the rows, 77 rows, 33 columns", "77x33 layernorm with eps 0.5", "matmul M=77 N=33 K=11", "batched matmul batch 77, 33x11 matrices"}) {
      const Understanding u = understand(library_, sentence);
      if (!u.spec) {
        QVERIFY(!u.questions.empty());
        continue;
      }
      const std::string text = print(*u.spec);
      QVERIFY2(text.find("77") != std::string::npos && text.find("33") != std::string::npos, text.c_str());
    }
  }
};

QTEST_GUILESS_MAIN(PhrasebookTest)
#include "phrasebook_test.moc"
