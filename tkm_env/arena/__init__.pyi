from .evaluation import Evaluation as Evaluation
from .evaluation import evaluate as evaluate
