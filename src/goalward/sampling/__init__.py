"""Training data: full states drawn from pre-images by replaceable samplers, labelled by the closest pre-image.

Use :func:`make_dataset` for one data set or :class:`Source` for states again and again, with :class:`SamplingOptions`;
:func:`label` for states from elsewhere; and the tables :data:`SAMPLERS` and :data:`LABELS`.
"""

from goalward.sampling.dataset import Dataset, load_dataset, save_dataset
from goalward.sampling.labels import LABELS, label
from goalward.sampling.samplers import SAMPLERS, SamplingOptions, Source, complete, make_dataset

__all__ = [
    "LABELS",
    "SAMPLERS",
    "Dataset",
    "SamplingOptions",
    "Source",
    "complete",
    "label",
    "load_dataset",
    "make_dataset",
    "save_dataset",
]
