"""gcan.optim against torch.optim: values, states in both directions, groups, closures and mistakes."""

import copy
import inspect
import io
import pickle

import pytest
import torch
from torch import nn

import gcan

TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6}
PAIRS = [(gcan.optim.Adam, torch.optim.Adam), (gcan.optim.AdamW, torch.optim.AdamW)]
both_kinds = pytest.mark.parametrize("ours, theirs", PAIRS, ids=["Adam", "AdamW"])


def network(dtype: torch.dtype = torch.float64) -> nn.Module:
    torch.manual_seed(5)
    return nn.Sequential(nn.Linear(6, 50), nn.Tanh(), nn.Linear(50, 30), nn.Tanh(), nn.Linear(30, 2)).to(dtype)


def loss_of(net: nn.Module, step: int) -> torch.Tensor:
    parameter = next(net.parameters())
    generator = torch.Generator().manual_seed(step)
    x = torch.randn(8, 6, generator=generator).to(parameter.device, parameter.dtype)
    return (net(x) - x[:, :2].sin()).square().mean()


def train(net: nn.Module, optimizer: torch.optim.Optimizer, begin: int, end: int) -> None:
    for step in range(begin, end):
        optimizer.zero_grad()
        loss_of(net, step).backward()
        optimizer.step()


def assert_same(net: nn.Module, other: nn.Module, tolerance: float = 1e-12) -> None:
    for own, its in zip(net.parameters(), other.parameters()):
        torch.testing.assert_close(own, its, rtol=tolerance, atol=tolerance)


@both_kinds
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lr": 1e-2, "betas": (0.8, 0.99), "eps": 1e-3},
        {"lr": 3e-3, "weight_decay": 0.1},
        {"maximize": True, "weight_decay": 0.01},
        {"betas": (0.0, 0.0)},
        {"lr": 0.0},
    ],
    ids=str,
)
def test_computes_what_torch_does(ours, theirs, dtype, options) -> None:
    net, other = network(dtype), network(dtype)
    train(net, ours(net.parameters(), **options), 0, 30)
    train(other, theirs(other.parameters(), **options), 0, 30)
    # Without memory or a small eps, rounding decides the sign of tiny gradients' steps.
    assert_same(net, other, 1e-3 if options.get("betas") == (0.0, 0.0) and dtype == torch.float32 else TOLERANCE[dtype])


@both_kinds
def test_arguments_are_torchs(ours, theirs) -> None:
    def accepted(kind: type) -> dict:
        return {name: p.default for name, p in inspect.signature(kind.__init__).parameters.items()}

    own = {**accepted(gcan.optim.Adam), **{k: v for k, v in accepted(ours).items() if k != "options"}}
    for name, default in accepted(theirs).items():
        # A False of PyTorch 1.13 is a None in 2.
        assert name in own and (own[name] == default or name == "fused"), name


@both_kinds
def test_large_and_odd_sizes_use_the_same_formula(ours, theirs) -> None:
    torch.manual_seed(1)
    start = [torch.randn(n, dtype=torch.float64) for n in (0, 1, 3, 1023, 1025, 200_001)] + [torch.randn((), dtype=torch.float64)]
    sides = []
    for kind in (ours, theirs):
        parameters = [nn.Parameter(t.clone()) for t in start]
        optimizer = kind(parameters, lr=1e-2, weight_decay=0.05)
        for step in range(3):
            for i, parameter in enumerate(parameters):
                parameter.grad = torch.sin(parameter.detach() * (step + 1) + i)
            optimizer.step()
        sides.append(parameters)
    for own, its in zip(*sides):
        torch.testing.assert_close(own, its, rtol=1e-12, atol=1e-12)


@both_kinds
def test_states_load_in_both_directions(ours, theirs) -> None:
    plain = network()
    train(plain, theirs(plain.parameters(), lr=1e-2), 0, 20)
    for first, second in ((ours, theirs), (theirs, ours), (ours, ours)):
        net = network()
        optimizer = first(net.parameters(), lr=1e-2)
        train(net, optimizer, 0, 10)
        file = io.BytesIO()
        torch.save(optimizer.state_dict(), file)
        file.seek(0)
        continued = second(net.parameters(), lr=1.0)
        continued.load_state_dict(torch.load(file))
        train(net, continued, 10, 20)
        assert_same(net, plain)


def test_state_has_the_names_of_torch() -> None:
    net, other = network(), network()
    optimizer, reference = gcan.optim.Adam(net.parameters()), torch.optim.Adam(other.parameters())
    train(net, optimizer, 0, 3)
    train(other, reference, 0, 3)
    own, its = optimizer.state_dict()["state"], reference.state_dict()["state"]
    assert own.keys() == its.keys()
    for number in own:
        assert list(own[number]) == list(its[number])
        assert float(own[number]["step"]) == 3
        for name in own[number]:
            torch.testing.assert_close(own[number][name], its[number][name], rtol=1e-12, atol=1e-12, check_dtype=name != "step")


def test_old_states_with_plain_numbers_load() -> None:
    net, other = network(), network()
    optimizer, reference = gcan.optim.Adam(net.parameters()), torch.optim.Adam(other.parameters())
    train(net, optimizer, 0, 3)
    train(other, reference, 0, 3)
    old = copy.deepcopy(optimizer.state_dict())
    for values in old["state"].values():
        values["step"] = 3
    for group in old["param_groups"]:
        del group["maximize"]
    optimizer.load_state_dict(old)
    train(net, optimizer, 3, 6)
    train(other, reference, 3, 6)
    assert_same(net, other)


def test_groups_have_their_own_settings() -> None:
    sides = []
    for kind in (gcan.optim.Adam, torch.optim.Adam):
        net = network()
        groups = [{"params": net[0].parameters(), "lr": 1e-2}, {"params": net[2].parameters(), "weight_decay": 0.1}]
        optimizer = kind(groups, lr=1e-3)
        optimizer.add_param_group({"params": net[4].parameters(), "betas": (0.5, 0.9)})
        train(net, optimizer, 0, 10)
        sides.append(net)
    assert_same(*sides)


def test_schedulers_set_the_learning_rate() -> None:
    sides = []
    for kind in (gcan.optim.Adam, torch.optim.Adam):
        net = network()
        optimizer = kind(net.parameters(), lr=1e-2)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
        for step in range(10):
            train(net, optimizer, step, step + 1)
            scheduler.step()
        sides.append(net)
    assert_same(*sides)


def test_parameters_without_gradients_stay_and_do_not_count() -> None:
    sides = []
    for kind in (gcan.optim.Adam, torch.optim.Adam):
        net = network()
        optimizer = kind(net.parameters(), lr=1e-2)
        for step in range(6):
            optimizer.zero_grad(set_to_none=True)
            loss_of(net, step).backward()
            if step % 2:
                net[2].weight.grad = None
            optimizer.step()
        sides.append(net)
        assert float(optimizer.state[net[2].weight]["step"]) == 3
    assert_same(*sides)
    frozen = network()
    for parameter in frozen.parameters():
        parameter.requires_grad_(False)
    before = copy.deepcopy(frozen)
    gcan.optim.Adam(frozen.parameters()).step()
    assert_same(frozen, before, 0)


def test_gradients_are_cleared() -> None:
    net = network()
    optimizer = gcan.optim.Adam(net.parameters())
    loss_of(net, 0).backward()
    optimizer.zero_grad(set_to_none=False)
    assert all((p.grad == 0).all() for p in net.parameters())
    optimizer.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_closure_is_called_with_gradients() -> None:
    sides = []
    for kind in (gcan.optim.Adam, torch.optim.Adam):
        net = network()
        optimizer = kind(net.parameters(), lr=1e-2)

        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            loss = loss_of(net, 0)
            loss.backward()
            return loss

        losses = [optimizer.step(closure).item() for _ in range(5)]
        assert losses == sorted(losses, reverse=True)
        sides.append(net)
    assert_same(*sides)


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))], ids=["deepcopy", "pickle"])
def test_copies_go_on_alike(copier) -> None:
    net = network()
    optimizer = gcan.optim.AdamW(net.parameters(), lr=1e-2)
    train(net, optimizer, 0, 5)
    other, copied = copier((net, optimizer))
    assert copied.param_groups[0]["params"][0] is next(other.parameters())
    train(net, optimizer, 5, 10)
    train(other, copied, 5, 10)
    assert_same(net, other, 0)


def test_a_step_changes_versions() -> None:
    """Autograd refuses a backward pass over changed weights."""
    weight = nn.Parameter(torch.ones(3))
    optimizer = gcan.optim.Adam([weight])
    product = (weight * weight).sum()
    product.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
@pytest.mark.parametrize("layout", ["transposed", "channels last", "gradient"])
def test_other_types_and_layouts_use_tensor_operations(dtype, layout) -> None:
    sides = []
    for kind in (gcan.optim.Adam, torch.optim.Adam):
        torch.manual_seed(2)
        data = torch.randn(4, 3, 5, 2, dtype=torch.float64).to(dtype)
        gradient = torch.randn(4, 3, 5, 2, dtype=torch.float64).to(dtype)
        if layout == "transposed":
            data = data.transpose(0, 3).contiguous().transpose(0, 3)
        elif layout == "channels last":
            data = data.contiguous(memory_format=torch.channels_last)
        else:
            gradient = gradient.transpose(1, 2).contiguous().transpose(1, 2)
        parameter = nn.Parameter(data)
        optimizer = kind([parameter], lr=1e-2, weight_decay=0.1)
        for _ in range(3):
            parameter.grad = gradient.clone()
            optimizer.step()
        sides.append(parameter)
    tolerance = 2e-2 if dtype == torch.bfloat16 else 1e-12
    torch.testing.assert_close(*sides, rtol=tolerance, atol=tolerance)
    assert sides[0].stride() == sides[1].stride()


def test_on_a_device_without_kernels() -> None:
    """Meta tensors have no numbers: only tensor operations can serve them."""
    parameter = nn.Parameter(torch.empty(3, 2, device="meta"))
    optimizer = gcan.optim.Adam([parameter])
    parameter.grad = torch.empty_like(parameter)
    optimizer.step()
    assert optimizer.state[parameter]["exp_avg"].device.type == "meta"
    assert float(optimizer.state[parameter]["step"]) == 1


def sparse() -> None:
    embedding = nn.Embedding(5, 2, sparse=True)
    optimizer = gcan.optim.Adam(embedding.parameters())
    embedding(torch.tensor([1])).sum().backward()
    optimizer.step()


def complex_numbers() -> None:
    parameter = nn.Parameter(torch.zeros(2, dtype=torch.complex64))
    parameter.grad = torch.ones_like(parameter)
    gcan.optim.Adam([parameter]).step()


def state_of_another_network() -> None:
    net, other = nn.Linear(3, 2), nn.Linear(4, 2)
    first, second = gcan.optim.Adam(net.parameters()), gcan.optim.Adam(other.parameters())
    net(torch.ones(1, 3)).sum().backward()
    first.step()
    second.load_state_dict(first.state_dict())
    other(torch.ones(1, 4)).sum().backward()
    second.step()


def loaded(**settings) -> None:
    optimizer = gcan.optim.Adam(network().parameters())
    state = copy.deepcopy(optimizer.state_dict())
    state["param_groups"][0].update(settings)
    optimizer.load_state_dict(state)


def weights() -> list:
    return [nn.Parameter(torch.zeros(2))]


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: gcan.optim.Adam(weights(), amsgrad=True), "gcan: Adam does not support amsgrad=True; torch.optim.Adam does"),
        (lambda: gcan.optim.AdamW(weights(), capturable=True), "AdamW does not support capturable=True; torch.optim.AdamW"),
        (lambda: gcan.optim.Adam([{"params": weights(), "amsgrad": True}]), "does not support amsgrad=True"),
        (lambda: loaded(amsgrad=True), "does not support amsgrad=True"),
        (lambda: loaded(decoupled_weight_decay=True), "got decoupled_weight_decay=True, expected False"),
        (lambda: gcan.optim.Adam(weights(), lr=-1.0), "Adam got lr=-1.0, expected 0 or more"),
        (lambda: gcan.optim.Adam(weights(), eps=float("nan")), "Adam got eps=nan, expected 0 or more"),
        (lambda: gcan.optim.AdamW(weights(), weight_decay=-0.1), "AdamW got weight_decay=-0.1, expected 0 or more"),
        (lambda: gcan.optim.Adam(weights(), betas=(0.9, 1.0)), r"got betas=\(0.9, 1.0\), expected two numbers from 0 to below 1"),
        (lambda: gcan.optim.Adam([]), "empty parameter list"),
        (sparse, "Adam got a sparse gradient, which torch.optim.SparseAdam supports"),
        (complex_numbers, "expected real floating-point numbers"),
        (state_of_another_network, "is the state that of another network"),
    ],
)
def test_mistakes_are_explained(call, text: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=text):
        call()


def test_a_refused_step_changes_nothing() -> None:
    first, second = nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(2, dtype=torch.complex64))
    first.grad, second.grad = torch.ones_like(first), torch.ones_like(second)
    with pytest.raises(RuntimeError, match="real floating-point numbers"):
        gcan.optim.Adam([first, second], lr=0.1).step()
    assert torch.equal(first, torch.ones(2))


def test_learning_rate_may_be_a_tensor() -> None:
    net, other = network(), network()
    train(net, gcan.optim.Adam(net.parameters(), lr=torch.tensor(0.01, dtype=torch.float64)), 0, 5)
    train(other, gcan.optim.Adam(other.parameters(), lr=0.01), 0, 5)
    assert_same(net, other)


def test_does_not_depend_on_the_number_of_threads() -> None:
    results = []
    start, gradient = torch.randn(2, 300_001)
    before = torch.get_num_threads()
    for threads in (1, 2):
        torch.set_num_threads(threads)
        parameter = nn.Parameter(start.clone())
        optimizer = gcan.optim.Adam([parameter], lr=0.1)
        parameter.grad = gradient.clone()
        optimizer.step()
        results.append(parameter.detach())
    torch.set_num_threads(before)
    assert torch.equal(*results)
