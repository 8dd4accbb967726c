from .policy_evaluation import Evaluation as Evaluation
from .policy_evaluation import evaluate as evaluate
