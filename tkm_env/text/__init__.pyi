from .options import TextOptions as TextOptions
from .prompt import Prompt as Prompt
from .prompt import digest as digest
from .prompt import legal_turns as legal_turns
from .prompt import prompt_for as prompt_for
from .reply import Refusal as Refusal
from .reply import read_reply as read_reply
from .reply import write_reply as write_reply
