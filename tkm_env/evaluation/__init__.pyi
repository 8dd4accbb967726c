from .policy_evaluation import Evaluation as Evaluation
from .policy_evaluation import evaluate as evaluate
from .solution import Solution as Solution
from .solution import solve as solve
