"""Training data: full states drawn from pre-images by replaceable samplers, labelled by the closest pre-image.

Use :func:`make_dataset`, :class:`SamplingOptions`, :class:`Dataset`, :func:`label` and the table :data:`SAMPLERS`.
"""

from goalward.sampling.dataset import Dataset, load_dataset, save_dataset
from goalward.sampling.samplers import SAMPLERS, SamplingOptions, label, make_dataset

__all__ = ["SAMPLERS", "Dataset", "SamplingOptions", "label", "load_dataset", "make_dataset", "save_dataset"]
