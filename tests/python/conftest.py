"""Every test starts from the same random numbers and the same type."""

import pytest
import torch


@pytest.fixture(autouse=True)
def same_start():
    torch.manual_seed(1)
    before = torch.get_default_dtype()
    yield
    torch.set_default_dtype(before)
