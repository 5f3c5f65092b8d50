# SPDX-License-Identifier: Apache-2.0
"""What aten_test.py imports: each class gives several results, and the sizes of its example are those of its own get_inputs()."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Task(nn.Module):
    pass


def get_inputs():
    return [torch.rand(6, 10), torch.rand(6, 10), torch.randint(0, 10, (6,)), torch.rand(6, 10) < 0.5, torch.rand(2, 8, 12, 14)]


class Maps(Task):
    def forward(self, x, y, k, m, z):
        p = x.abs() + 0.1
        return (torch.exp(-p), torch.log(p), torch.sqrt(p), torch.rsqrt(p), torch.sin(x), torch.tanh(x), torch.erf(x), torch.sigmoid(x),
                x / (y.abs() + 1), x - 2 * y,
                torch.add(x, y, alpha=0.5), 3 - x, x ** 2, p ** y, torch.maximum(x, y), torch.clamp(x, -0.5, 0.5), torch.where(m, x, y),
                x * m, torch.sign(x), torch.floor(x * 3),
                torch.remainder(x * 5, 2.0), torch.fmod(x * 5, 2.0), torch.atan2(x, y), torch.lerp(x, y, 0.3), torch.addcmul(x, y, y, value=0.5),
                x.reciprocal())


class Activations(Task):
    def forward(self, x, y, k, m, z):
        return (F.relu(x), F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.leaky_relu(x, 0.2), F.elu(x, 0.7), F.selu(x), F.softplus(x),
                F.softplus(x, 2.0, 1.0), F.hardtanh(x),
                F.hardswish(x), F.hardsigmoid(x), F.mish(x), F.relu6(x * 4), F.softsign(x), F.logsigmoid(x), F.hardshrink(x), F.softshrink(x),
                F.threshold(x, 0.1, 2.0), F.celu(x, 1.3),
                F.tanhshrink(x), F.prelu(x, y[:1, 0]))


class Logic(Task):
    def forward(self, x, y, k, m, z):
        return (x > y, (x > 0) & m, (x > 0) | m, ~m, x == y, k + 1, k * k - 3, k / 3, k // 3, (x > 0).float() + m.to(torch.float32), m.sum(1),
                (k > 4).to(torch.int32), torch.isnan(x / x),
                torch.logical_xor(m, x > 0), k.float() * x[:, 0], (k / 4 + k) * 0.5, k // -3)


class Reductions(Task):
    def forward(self, x, y, k, m, z):
        return (x.sum(), x.sum(1), x.mean(0, keepdim=True), x.mean((0, 1)), x.amax(1), x.amin(0),
                x.max(1).values, x.max(1).indices, x.min(0)[0], x.argmax(1), x.argmin(0), x.prod(1), m.any(1), m.all(0),
                x.var(1), x.std(0, unbiased=False), torch.logsumexp(x, 1), x.norm(dim=1), torch.linalg.vector_norm(x, 1, 1), torch.norm(x),
                z.mean((2, 3)), z.sum(1), x.argmax(),
                torch.var_mean(x, 1)[1])


class Softmaxes(Task):
    def forward(self, x, y, k, m, z):
        return (F.softmax(x, 1), F.log_softmax(x, 0), torch.softmax(z, 1), torch.cumsum(x, 1), torch.cumprod(x, 0), torch.cumsum(x.flip(1),
                1).flip(1), F.cross_entropy(x, k), F.mse_loss(x, y),
                F.huber_loss(x, y), F.kl_div(F.log_softmax(x, 1), F.softmax(y, 1), reduction="batchmean"), F.smooth_l1_loss(x, y),
                F.cosine_similarity(x, y), F.normalize(x, dim=1))


class Moves(Task):
    def forward(self, x, y, k, m, z):
        return (x.t(), z.permute(0, 2, 3, 1), z.reshape(2, -1), x[:, None, :], x.expand(3, -1, -1), torch.cat([x, y], 1), torch.stack([x, y]),
                x.flip(0), torch.roll(x, 2, 1), x[1:], x[:, -3:], x[:, ::2],
                x[2], torch.tril(x), torch.triu(x, 1), F.pad(x, (1, 2), value=0.5), z.flatten(1, 2), torch.gather(x, 1, k[:, None]),
                x[:, k], torch.index_select(x, 1, k), x.chunk(2, 1)[1], x.repeat(2, 1),
                torch.arange(10).float() + x, F.pad(z, (1, 1, 1, 1), mode="reflect"), F.pad(z[0], (1, 2), mode="replicate"),
                z.view(2, 2, 4, 12, 14).transpose(1, 2).reshape(2, 8, 12, 14),
                F.pixel_shuffle(z, 2), torch.diagonal(x), torch.diagonal(x, -2), torch.diagonal(z, 3, 2, 3) + 1, F.embedding(k, y.t()))


class Products(Task):
    def __init__(self):
        super().__init__()
        self.linear, self.bilinear = nn.Linear(10, 7), nn.Parameter(torch.randn(4, 10))

    def forward(self, x, y, k, m, z):
        a = z[0]
        return (x @ y.t(), torch.bmm(a, a.transpose(1, 2)), self.linear(x), x @ self.bilinear.t(), torch.mv(x, y[0]), torch.dot(x[0], y[0]),
                torch.einsum("ij,kj->ik", x, y), torch.outer(x[0], y[1]),
                torch.einsum("nchw,nchw->nc", z, z), torch.addmm(x.t() @ x, x.t(), y, beta=0.5, alpha=2.0), torch.matmul(z, z.transpose(2, 3)),
                F.scaled_dot_product_attention(z, z, z))


class Convolutions(Task):
    def __init__(self):
        super().__init__()
        self.plain, self.strided = nn.Conv2d(8, 5, 3), nn.Conv2d(8, 6, (3, 2), stride=2, padding=1, dilation=2)
        self.grouped, self.depth = nn.Conv2d(8, 12, 3, groups=4, padding=1), nn.Conv2d(8, 8, 3, groups=8)
        self.up, self.up_strided = nn.ConvTranspose2d(8, 5, 3), nn.ConvTranspose2d(8, 6, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.one, self.up_one = nn.Conv1d(12, 7, 3, padding=2), nn.ConvTranspose1d(12, 7, 4, stride=3, dilation=2)

    def forward(self, x, y, k, m, z):
        return (self.plain(z), self.strided(z), self.grouped(z), self.depth(z), self.up(z), self.up_strided(z), self.one(z[0]), self.up_one(z[0]))


class Windows(Task):
    def forward(self, x, y, k, m, z):
        return (F.max_pool2d(z, 2), F.max_pool2d(z, 3, 2, 1), F.max_pool2d(z, 3, 2, ceil_mode=True), F.max_pool1d(z[0], 3, 1), F.avg_pool2d(z, 2),
                F.avg_pool2d(z, 3, 2, 1),
                F.avg_pool2d(z, 3, 2, 1, count_include_pad=False), F.avg_pool1d(z[0], 4, 2), F.adaptive_avg_pool2d(z, 1),
                F.interpolate(z, scale_factor=2), F.max_pool3d(z, 2), F.avg_pool3d(z, 2))


class Norms(Task):
    def __init__(self):
        super().__init__()
        self.layer, self.group, self.batch, self.instance = nn.LayerNorm(10), nn.GroupNorm(4, 8), nn.BatchNorm2d(8), nn.InstanceNorm2d(8)
        self.affine, self.settled = nn.InstanceNorm2d(8, affine=True), nn.BatchNorm2d(8, eps=1e-3).eval()

    def forward(self, x, y, k, m, z):
        return (self.layer(x), self.group(z), self.batch(z), self.instance(z), self.affine(z), self.settled(z), F.rms_norm(x, (10,)),
                F.layer_norm(z, (12, 14)))


class InPlace(Task):
    def forward(self, x, y, k, m, z):
        tail, row, every, column, masked, shifted = (x.clone() for _ in range(6))
        tail[:, 1:] = y[:, 1:] * 2
        row[0] = 1.0
        every[:, ::2] += y[:, ::2]
        column[:, 3] = y[:, 0]
        masked[m] = 0.5
        shifted[1:3].fill_(2.0)
        shifted.t().add_(1)
        copied = torch.zeros_like(x)
        copied.copy_(y)
        copied.mul_(x).sub_(1).clamp_(min=0)
        return (x.clone().add_(y).relu_(), F.relu(x * 2, inplace=True), tail, row, every, column, masked, shifted, copied,
                x.clone().masked_fill_(m, 2.0))


class Constants(Task):
    def __init__(self):
        super().__init__()
        self.kernel, self.scale, self.order = torch.tensor([1.0, 2.0, 1.0]), torch.tensor(0.25), torch.tensor([3, 1, 2, 0])
        self.part = nn.Identity()
        self.part.shift = torch.arange(10).float()

    def forward(self, x, y, k, m, z):
        weights = torch.tensor([0.1, 0.2, 0.3, 0.5, 0.8, 1.3, 2.1, 3.4, 5.5, 8.9])
        picked = torch.tensor([4, 0, 7])
        return (x * weights, x @ torch.tensor([[0.5, 1.0]] * 10), x + self.part.shift * self.scale, x[:, picked], x[:, self.order],
                F.conv1d(x[:, None], self.kernel[None, None], padding=1), torch.where(torch.tensor([True, False] * 5), x, y))


class NotKept(Task):
    def __init__(self):
        super().__init__()
        self.weights = [torch.rand(10)]

    def forward(self, x, y, k, m, z):
        return x * self.weights[0]


class NotTheSameTwice(Task):
    def __init__(self):
        super().__init__()
        self.hidden = torch.zeros(6, 10)

    def forward(self, x, y, k, m, z):
        self.hidden = self.hidden * 0.5 + x
        return self.hidden


class NotRandom(Task):
    def forward(self, x, y, k, m, z):
        return F.dropout(x, 0.5)


class NotSorted(Task):
    def forward(self, x, y, k, m, z):
        return torch.sort(x).values


class NotSized(Task):
    def forward(self, x, y, k, m, z):
        return x[m]


class NotScattered(Task):
    def forward(self, x, y, k, m, z):
        written = x.clone()
        written[:, k] = y[:, :6]
        return written
