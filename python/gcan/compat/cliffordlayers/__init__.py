"""The public classes of Microsoft's `cliffordlayers` 0.1.1 with the same names, arguments, blade layouts and state dicts.

Replace `cliffordlayers` with `gcan.compat.cliffordlayers` in the import line:

>>> from gcan.compat.cliffordlayers.nn.modules.cliffordconv import CliffordConv2d

or import from here:

>>> from gcan.compat.cliffordlayers import CliffordConv2d

Where that package is known to be wrong, `corrected=True` in the constructor selects the correct behaviour.
"""

from .cliffordalgebra import CliffordAlgebra
from .models.basic.custom_layers import (
    CliffordConv2dScalarVectorDecoder,
    CliffordConv2dScalarVectorEncoder,
    CliffordConv3dMaxwellDecoder,
    CliffordConv3dMaxwellEncoder,
)
from .models.basic.threed import CliffordFourierBasicBlock3d, CliffordMaxwellNet3d
from .models.basic.twod import CliffordBasicBlock2d, CliffordFluidNet2d, CliffordFourierBasicBlock2d
from .models.gca.twod import (
    CliffordG3BasicBlock2d,
    CliffordG3DownBlock,
    CliffordG3Downsample,
    CliffordG3MiddleBlock,
    CliffordG3ResNet2d,
    CliffordG3UNet2d,
    CliffordG3UpBlock,
    CliffordUpsample,
)
from .nn.modules.batchnorm import (
    CliffordBatchNorm1d,
    CliffordBatchNorm2d,
    CliffordBatchNorm3d,
    ComplexBatchNorm1d,
    ComplexBatchNorm2d,
    ComplexBatchNorm3d,
)
from .nn.modules.cliffordconv import CliffordConv1d, CliffordConv2d, CliffordConv3d
from .nn.modules.cliffordfourier import CliffordSpectralConv2d, CliffordSpectralConv3d
from .nn.modules.cliffordlinear import CliffordLinear
from .nn.modules.gcan import (
    CliffordG3Conv2d,
    CliffordG3ConvTranspose2d,
    CliffordG3GroupNorm,
    CliffordG3LinearVSiLU,
    CliffordG3MeanVSiLU,
    CliffordG3SumVSiLU,
    MultiVectorAct,
    PGAConjugateLinear,
)
from .nn.modules.groupnorm import (
    CliffordGroupNorm1d,
    CliffordGroupNorm2d,
    CliffordGroupNorm3d,
    ComplexGroupNorm1d,
    ComplexGroupNorm2d,
    ComplexGroupNorm3d,
)
from .signature import CliffordSignature

__all__ = [name for name in dir() if name.startswith(("Clifford", "Complex", "PGA", "MultiVector"))]
