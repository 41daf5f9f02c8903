# Made by docs/make_api.py from the table PUBLIC in __init__.py.

from goalward.baselines.avi import AviOptions as AviOptions
from goalward.baselines.boot import BootOptions as BootOptions
from goalward.baselines.hgn_model import DomainModel as DomainModel
from goalward.baselines.hgn_model import DomainOptions as DomainOptions
from goalward.baselines.hgn_training import train_domain as train_domain
from goalward.baselines.sing import SingOptions as SingOptions
from goalward.baselines.tsl import TslOptions as TslOptions
from goalward.errors import ExitCode as ExitCode
from goalward.errors import GoalwardError as GoalwardError
from goalward.errors import InvalidPlanError as InvalidPlanError
from goalward.errors import LimitError as LimitError
from goalward.errors import PddlError as PddlError
from goalward.errors import StateMismatchError as StateMismatchError
from goalward.errors import StoppedError as StoppedError
from goalward.errors import StoredFileError as StoredFileError
from goalward.errors import UnsupportedError as UnsupportedError
from goalward.errors import UsageError as UsageError
from goalward.errors import WriteError as WriteError
from goalward.experiments.scores import Score as Score
from goalward.front_door import train as train
from goalward.learning.methods import METHODS as METHODS
from goalward.learning.methods import Method as Method
from goalward.learning.methods import make_options as make_options
from goalward.learning.methods import train_with as train_with
from goalward.learning.options import LearnOptions as LearnOptions
from goalward.learning.options import NetworkOptions as NetworkOptions
from goalward.learning.options import NetworkShape as NetworkShape
from goalward.learning.options import SupervisedOptions as SupervisedOptions
from goalward.learning.options import TrainingOptions as TrainingOptions
from goalward.learning.results import Epoch as Epoch
from goalward.learning.results import TrainingResult as TrainingResult
from goalward.learning.rsl import PreimageOptions as PreimageOptions
from goalward.learning.trainer import train_network as train_network
from goalward.learning.trials import Trial as Trial
from goalward.learning.watchers import Watcher as Watcher
from goalward.regression.rollouts import RolloutOptions as RolloutOptions
from goalward.regression.rollouts import Rollouts as Rollouts
from goalward.regression.rollouts import regress as regress
from goalward.sampling.dataset import Dataset as Dataset
from goalward.sampling.dataset import load_dataset as load_dataset
from goalward.sampling.dataset import save_dataset as save_dataset
from goalward.sampling.labels import LABELS as LABELS
from goalward.sampling.labels import label as label
from goalward.sampling.plans import label_plans as label_plans
from goalward.sampling.samplers import SAMPLERS as SAMPLERS
from goalward.sampling.samplers import SamplingOptions as SamplingOptions
from goalward.sampling.samplers import make_dataset as make_dataset
from goalward.search.anytime import anytime_plans as anytime_plans
from goalward.search.best_first import ALGORITHMS as ALGORITHMS
from goalward.search.best_first import SearchOptions as SearchOptions
from goalward.search.best_first import SearchResult as SearchResult
from goalward.search.best_first import Statistics as Statistics
from goalward.search.best_first import Status as Status
from goalward.search.heuristics import HEURISTICS as HEURISTICS
from goalward.search.heuristics import BoundHeuristic as BoundHeuristic
from goalward.search.heuristics import bind_heuristic as bind_heuristic
from goalward.search.improve import BetterPlan as BetterPlan
from goalward.search.improve import ImproveStatus as ImproveStatus
from goalward.search.improve import ImprovedPlan as ImprovedPlan
from goalward.search.improve import improve_plan as improve_plan
from goalward.search.landmarks import LandmarkGraph as LandmarkGraph
from goalward.search.landmarks import LandmarkOptions as LandmarkOptions
from goalward.search.landmarks import find_landmarks as find_landmarks
from goalward.search.learned import load_model as load_model
from goalward.search.model import Model as Model
from goalward.search.model import save_model as save_model
from goalward.search.network import Layer as Layer
from goalward.search.network import NetworkWeights as NetworkWeights
from goalward.search.network import bind_network as bind_network
from goalward.search.planning import LearnedModel as LearnedModel
from goalward.search.planning import plan as plan
from goalward.search.solving import Improvement as Improvement
from goalward.search.solving import Outcome as Outcome
from goalward.task.domains import DOMAINS as DOMAINS
from goalward.task.domains import Instance as Instance
from goalward.task.domains import generate as generate
from goalward.task.grounding import UnsolvableError as UnsolvableError
from goalward.task.grounding import ground as ground
from goalward.task.grounding import ground_files as ground_files
from goalward.task.lifted import Domain as Domain
from goalward.task.lifted import Problem as Problem
from goalward.task.lifted_reader import parse_domain as parse_domain
from goalward.task.lifted_reader import parse_problem as parse_problem
from goalward.task.lifted_reader import read_domain as read_domain
from goalward.task.lifted_reader import read_problem as read_problem
from goalward.task.plan_file import format_plan as format_plan
from goalward.task.plan_file import read_plan as read_plan
from goalward.task.states import StateReader as StateReader
from goalward.task.states import as_state as as_state
from goalward.task.states import as_states as as_states
from goalward.task.states import format_problem as format_problem
from goalward.task.states import from_bits as from_bits
from goalward.task.states import random_walk_states as random_walk_states
from goalward.task.states import to_bits as to_bits
from goalward.task.store import load_task as load_task
from goalward.task.store import save_task as save_task
from goalward.task.strips import Rows as Rows
from goalward.task.strips import Task as Task
from goalward.task.validate import Validation as Validation
from goalward.task.validate import validate_plan as validate_plan

PUBLIC: dict[str, tuple[str, ...]]
__version__: str
__all__ = [
    "ALGORITHMS",
    "AviOptions",
    "BetterPlan",
    "BootOptions",
    "BoundHeuristic",
    "DOMAINS",
    "Dataset",
    "Domain",
    "DomainModel",
    "DomainOptions",
    "Epoch",
    "ExitCode",
    "GoalwardError",
    "HEURISTICS",
    "ImproveStatus",
    "ImprovedPlan",
    "Improvement",
    "Instance",
    "InvalidPlanError",
    "LABELS",
    "LandmarkGraph",
    "LandmarkOptions",
    "Layer",
    "LearnOptions",
    "LearnedModel",
    "LimitError",
    "METHODS",
    "Method",
    "Model",
    "NetworkOptions",
    "NetworkShape",
    "NetworkWeights",
    "Outcome",
    "PddlError",
    "PreimageOptions",
    "Problem",
    "RolloutOptions",
    "Rollouts",
    "Rows",
    "SAMPLERS",
    "SamplingOptions",
    "Score",
    "SearchOptions",
    "SearchResult",
    "SingOptions",
    "StateMismatchError",
    "StateReader",
    "Statistics",
    "Status",
    "StoppedError",
    "StoredFileError",
    "SupervisedOptions",
    "Task",
    "TrainingOptions",
    "TrainingResult",
    "Trial",
    "TslOptions",
    "UnsolvableError",
    "UnsupportedError",
    "UsageError",
    "Validation",
    "Watcher",
    "WriteError",
    "anytime_plans",
    "as_state",
    "as_states",
    "bind_heuristic",
    "bind_network",
    "find_landmarks",
    "format_plan",
    "format_problem",
    "from_bits",
    "generate",
    "ground",
    "ground_files",
    "improve_plan",
    "label",
    "label_plans",
    "load_dataset",
    "load_model",
    "load_task",
    "make_dataset",
    "make_options",
    "parse_domain",
    "parse_problem",
    "plan",
    "random_walk_states",
    "read_domain",
    "read_plan",
    "read_problem",
    "regress",
    "save_dataset",
    "save_model",
    "save_task",
    "to_bits",
    "train",
    "train_domain",
    "train_network",
    "train_with",
    "validate_plan",
]
