"""The right behaviour that corrected=True asks for, by laws, and that the default is the released one."""

import pytest
import torch

from gcan.compat import cliffordlayers as cl


def covariance(y: torch.Tensor) -> torch.Tensor:
    samples = y.movedim((1, -1), (0, 1)).flatten(2)
    centred = samples - samples.mean(-1, keepdim=True)
    return centred @ centred.transpose(-1, -2) / samples.shape[-1]


def mixed(*shape: int) -> torch.Tensor:
    """Random numbers whose last dimension is correlated."""
    return torch.randn(*shape, dtype=torch.float64) @ torch.randn(shape[-1], shape[-1], dtype=torch.float64)


def test_corrected_batch_norm_whitens_and_the_released_one_does_not() -> None:
    x = mixed(16, 3, 8, 8, 4)
    right = cl.CliffordBatchNorm2d((1, 1), 3, corrected=True).double()
    released = cl.CliffordBatchNorm2d((1, 1), 3).double()
    identity = torch.eye(4, dtype=torch.float64)
    assert (covariance(right(x)) - identity).abs().max() < 1e-3
    assert (covariance(released(x)) - identity).abs().max() > 1e-2


def test_corrected_group_norm_whitens_each_group_of_each_sample() -> None:
    norm = cl.CliffordGroupNorm2d((1, 1), 2, 6, corrected=True).double()
    y = norm(mixed(2, 6, 16, 16, 4)).unflatten(1, (2, 3)).flatten(0, 1)
    for group in y:
        samples = group.flatten(0, 2)
        assert samples.mean(0).abs().max() < 1e-9
        assert (samples.t() @ samples / len(samples) - torch.eye(4)).abs().max() < 1e-3


@pytest.mark.parametrize("norm", [cl.CliffordBatchNorm2d((1, 1), 4, corrected=True), cl.CliffordG3GroupNorm(2, 4, 4, True, corrected=True)])
def test_corrected_norms_give_zero_on_constants(norm: torch.nn.Module) -> None:
    y = norm(torch.full((2, 4, 8, 8, 4), 3.0))
    assert y.isfinite().all() and y.abs().max() < 1e-2


def test_released_g3_norm_gives_nan_on_constants() -> None:
    assert cl.CliffordG3GroupNorm(1, 4, 3, True)(torch.ones(1, 4, 8, 8, 3)).isnan().all()


@pytest.mark.parametrize("corrected", [False, True])
def test_groups_keep_apart_only_when_corrected(corrected: bool) -> None:
    layer = cl.CliffordConv2d((1, 1), 4, 4, groups=2, padding=1, corrected=corrected)
    x = torch.randn(1, 4, 6, 6, 4)
    changed = x.clone()
    changed[:, 2:] += 1
    apart = torch.equal(layer(x)[:, :2], layer(changed)[:, :2])
    assert apart == corrected


@pytest.mark.parametrize("g", [(1, 1), (-1, -1), (1, -1)])
def test_groups_are_layers_side_by_side(g: tuple) -> None:
    both = cl.CliffordConv2d(g, 4, 6, groups=2, corrected=True)
    half = cl.CliffordConv2d(g, 2, 3)
    x = torch.randn(2, 4, 6, 6, 4)
    for i in range(2):
        for mine, its in zip(half.weight, both.weight):
            mine.data.copy_(its.data[3 * i : 3 * i + 3])
        half.bias.data.copy_(both.bias.data[:, 3 * i : 3 * i + 3])
        torch.testing.assert_close(half(x[:, 2 * i : 2 * i + 2]), both(x)[:, 3 * i : 3 * i + 3])


def test_translations_learn_only_when_corrected() -> None:
    algebra = cl.CliffordAlgebra((0, 1, 1, 1))
    for corrected in (False, True):
        layer = cl.PGAConjugateLinear(2, 2, algebra, (11, 12, 13), corrected=corrected)
        layer(torch.randn(4, 2, 3)).square().sum().backward()
        assert (layer._action.grad[..., 1:4].abs().max() > 0) == corrected


def test_fourier_transform_inverts_shifts_and_differentiates() -> None:
    layer = cl.CliffordSpectralConv2d((1, 1), 1, 1, 1, 1)
    x = torch.randn(1, 1, 8, 6, 4, dtype=torch.float64)
    torch.testing.assert_close(layer.inverse(layer.transform(x)), x)
    # A shift multiplies each dual pair with a phase.
    shifted = layer.transform(x.roll(1, 2))
    phase = torch.exp(-2j * torch.pi * torch.arange(8, dtype=torch.float64) / 8)[:, None, None]
    as_pairs = lambda f: torch.complex(f[..., :2], f[..., 2:].flip(-1))  # noqa: E731
    torch.testing.assert_close(as_pairs(shifted), as_pairs(layer.transform(x)) * phase)
    # A derivative multiplies it with i k.
    at = 2 * torch.pi * torch.arange(8, dtype=torch.float64) / 8
    wave = torch.zeros(1, 1, 8, 6, 4, dtype=torch.float64)
    slope = torch.zeros_like(wave)
    wave[..., 0], slope[..., 0] = torch.sin(at)[:, None], torch.cos(at)[:, None]
    k = torch.fft.fftfreq(8, 1 / 8, dtype=torch.float64)[:, None, None]
    torch.testing.assert_close(as_pairs(layer.transform(slope)), as_pairs(layer.transform(wave)) * 1j * k)


@pytest.mark.parametrize("g", [(1.0, 1.0), (-1.0, -1.0), (1.0, 1.0, 1.0)])
def test_corrected_transform_has_the_pseudoscalar_as_its_unit(g: tuple) -> None:
    """A shift multiplies with cos - I sin from the right; the released pairs do it for some blades only."""
    kind = cl.CliffordSpectralConv2d if len(g) == 2 else cl.CliffordSpectralConv3d
    algebra = cl.CliffordAlgebra(g)
    x = torch.randn(1, 1, *(5,) * len(g), 2 ** len(g), dtype=torch.float64)
    angle = 2 * torch.pi * torch.arange(5, dtype=torch.float64) / 5
    phase = torch.zeros(5, 2 ** len(g), dtype=torch.float64)
    phase[:, 0], phase[:, -1] = angle.cos(), -angle.sin()

    def difference(corrected: bool) -> float:
        layer = kind(g, 1, 1, *(1,) * len(g), corrected=corrected)
        torch.testing.assert_close(layer.inverse(layer.transform(x)), x)
        expected = algebra.geometric_product(layer.transform(x), phase.expand_as(x))
        return (layer.transform(x.roll(1, -2)) - expected).abs().max().item()

    assert difference(True) < 1e-12
    assert (difference(False) < 1e-12) == (g == (1.0, 1.0))


def test_corrected_transform_needs_a_pseudoscalar_that_squares_to_minus_one() -> None:
    with pytest.raises(ValueError, match="does not square to -1"):
        cl.CliffordSpectralConv2d((1, -1), 1, 1, 1, 1, corrected=True)
    cl.CliffordSpectralConv2d((1, -1), 1, 1, 1, 1)


def test_spectral_layer_with_unit_weights_only_cuts_frequencies() -> None:
    for corrected in (False, True):
        one = cl.CliffordSpectralConv3d((1, 1, 1), 1, 1, 2, 2, 2, corrected=corrected)
        cut = cl.CliffordSpectralConv3d((1, 1, 1), 1, 1, 2, 2, 2, multiply=False, corrected=corrected)
        with torch.no_grad():
            one.weights.zero_()
            one.weights[0] = 1
        x = torch.randn(1, 1, 6, 6, 6, 8)
        torch.testing.assert_close(one(x), cut(x))
    twice = cut(cut(x))
    torch.testing.assert_close(twice, cut(x))


def test_linear_layer_is_the_geometric_product() -> None:
    algebra = cl.CliffordAlgebra((1, 1, 1))
    layer = cl.CliffordLinear((1, 1, 1), 1, 1, bias=False)
    x = torch.randn(5, 1, 8)
    weight = layer.weight.detach().permute(1, 2, 0).expand(5, 1, 8)
    torch.testing.assert_close(layer(x), algebra.geometric_product(x, weight))


def test_circular_padding_commutes_with_shifts() -> None:
    layer = cl.CliffordConv2d((1, 1), 2, 2, padding=1, padding_mode="circular")
    x = torch.randn(1, 2, 6, 6, 4)
    torch.testing.assert_close(layer(x.roll(2, 2)), layer(x).roll(2, 2))


def networks(corrected: bool) -> list:
    gelu = torch.nn.functional.gelu
    flat, round_ = (1, 1), (1, 1, 1)
    return [
        cl.CliffordFluidNet2d(flat, cl.CliffordBasicBlock2d, [1], 1, 1, 4, gelu, False, True, 2, corrected=corrected),
        cl.CliffordFluidNet2d(flat, cl.CliffordFourierBasicBlock2d, [1], 1, 1, 4, gelu, False, True, 2, corrected=corrected),
        cl.CliffordMaxwellNet3d(round_, cl.CliffordFourierBasicBlock3d, [1], 1, 1, 4, gelu, True, 2, corrected=corrected),
    ]


@pytest.mark.parametrize("corrected", [False, True])
def test_the_flag_reaches_every_layer_of_a_network(corrected: bool) -> None:
    for network in networks(corrected):
        flags = [part.corrected for part in network.modules() if hasattr(part, "corrected")]
        assert len(flags) >= 4 and set(flags) == {corrected}


def test_corrected_networks_take_constants() -> None:
    fields = torch.zeros(1, 1, 24, 24, 3)
    released, right = networks(False)[0], networks(True)[0]
    right.load_state_dict(released.state_dict())
    for network in (released, right):
        network.padding = 0
        network.encoder.bias.data.zero_()
    assert right(fields).isfinite().all()
    with pytest.raises(RuntimeError):
        released(fields)


def test_blocks_of_ones_own_need_no_flag() -> None:
    class Block(torch.nn.Module):
        def __init__(self, g, in_channels, out_channels, activation, rotation, norm, num_groups) -> None:
            super().__init__()
            self.conv = cl.CliffordConv2d(g, in_channels, out_channels, padding=1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.conv(x)

    net = cl.CliffordFluidNet2d((1, 1), Block, [1], 1, 1, 2, torch.nn.functional.gelu, False)
    assert net(torch.randn(1, 1, 4, 4, 3)).shape == (1, 1, 4, 4, 3)


# Parameters that start uniformly, and up to which size.
UNIFORM = [
    (lambda: cl.CliffordLinear((1, 1), 50, 40), {"weight": (4 * 50) ** -0.5, "bias": (4 * 50) ** -0.5}),
    (lambda: cl.CliffordConv1d((-1,), 20, 40, 5), {"weight.1": (2 * 20 * 5) ** -0.5}),
    (lambda: cl.CliffordConv2d((1, 1), 20, 40, 3, groups=2), {"weight.0": (4 * 20 * 9 / 2) ** -0.5, "bias": (4 * 20 * 9 / 2) ** -0.5}),
    (lambda: cl.CliffordConv2d((-1, -1), 20, 40, 3, rotation=True), {"weight.3": (4 * 20 * 9) ** -0.5, "scale_param": (20 * 9) ** -0.5}),
    (lambda: cl.CliffordConv3d((1, 1, 1), 10, 12, 3), {"weight.7": (8 * 10 * 27) ** -0.5}),
    (lambda: cl.CliffordG3Conv2d(20, 40, 3, bias=True), {"weights.0": (20 * 9) ** -0.5, "scale_param": (20 * 9) ** -0.5, "bias.2": (20 * 9) ** -0.5}),
    (lambda: cl.CliffordG3ConvTranspose2d(20, 40, 4), {"weights.3": (40 * 16) ** -0.5, "scale_param": (40 * 16) ** -0.5}),
    (lambda: cl.PGAConjugateLinear(50, 40, cl.CliffordAlgebra((0, 1, 1, 1)), (11, 12, 13)), {"weight": 50**-0.5}),
]


@pytest.mark.parametrize("make, bounds", UNIFORM)
def test_default_initialisation_is_the_released_one(make, bounds: dict) -> None:
    state = make().state_dict()
    for name, bound in bounds.items():
        values = state[name].flatten()
        assert values.abs().max() <= bound
        count = len(values)
        assert values.abs().max() > bound * (1 - 8 / count)  # the largest of so many
        # A uniform distribution has variance bound^2 / 3; six deviations of its estimate.
        assert abs(values.square().mean() / (bound**2 / 3) - 1) < 6 * (0.8 / count) ** 0.5


def test_what_starts_fixed() -> None:
    rotation = cl.CliffordConv2d((-1, -1), 2, 2, rotation=True)
    assert not rotation.zero_kernel.any() and not rotation.zero_kernel.requires_grad
    motors = cl.PGAConjugateLinear(5, 6, cl.CliffordAlgebra((0, 1, 1, 1)), (11, 12, 13))
    action = motors._action.detach()
    torch.testing.assert_close(action.norm(dim=-1), torch.ones(6, 5))
    assert not action[..., [1, 2, 3, 7]].any() and not motors.embed_e0.any()
    spectral = cl.CliffordSpectralConv2d((1, 1), 5, 4, 6, 6).weights
    assert 0 <= spectral.min() and spectral.max() <= 1 / 20 and abs(spectral.mean() * 40 - 1) < 0.05
    norm = cl.CliffordBatchNorm2d((1, 1), 3)
    identity = torch.eye(4)[..., None].expand(4, 4, 3)
    assert torch.equal(norm.weight, identity) and torch.equal(norm.running_cov, identity)
    assert not norm.bias.any() and not norm.running_mean.any() and norm.num_batches_tracked == 0


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: cl.CliffordConv2d((1,), 2, 2), "expected 2 numbers"),
        (lambda: cl.CliffordConv2d((1, 1), 2, 2, rotation=True), r"\(-1, -1\)"),
        (lambda: cl.CliffordConv2d((1, 1), 3, 2, groups=2), "groups"),
        (lambda: cl.CliffordConv2d((1, 1), 2, 2)(torch.zeros(1, 2, 8, 8, 3)), "got 3 blades, expected 4"),
        (lambda: cl.CliffordGroupNorm2d((1, 1), 1, 2)(torch.zeros(1, 2, 4)), "dimensions"),
        (lambda: cl.MultiVectorAct(2, cl.CliffordAlgebra((1, 1)), (0, 1), agg="max"), "agg='max'"),
    ],
)
def test_errors_say_what_was_expected(make, text: str) -> None:
    with pytest.raises((ValueError, NotImplementedError), match=text):
        make()
