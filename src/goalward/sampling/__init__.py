"""Training data: full states that samplers draw from pre-images, labelled with the depth of the closest pre-image.

Use :func:`make_dataset` for one data set, :class:`Source` to draw states repeatedly, and :func:`label` for states from
elsewhere. The tables :data:`SAMPLERS` and :data:`LABELS` list the samplers and the kinds of labels.
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
