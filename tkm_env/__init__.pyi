"""The public names, and where they are defined.

Type checkers read this, and names are imported from there on first use.
"""

from .compiled.kernels import NO_ACTION as NO_ACTION
from .core.batch_turns import BatchTurns as BatchTurns
from .core.observation_encoder import ObservationEncoder as ObservationEncoder
from .core.observation_layout import compact_layout as compact_layout
from .core.observation_layout import symmetries as symmetries
from .core.outcome import Outcome as Outcome
from .core.record_files import from_record as from_record
from .core.record_files import read_records as read_records
from .core.record_files import replay_of as replay_of
from .core.record_files import write_record as write_record
from .core.registry import GameParts as GameParts
from .core.registry import GameSpec as GameSpec
from .core.registry import Preset as Preset
from .core.turns import Turn as Turn
from .envs.opponent_pool import OpponentPool as OpponentPool
from .envs.registration import register_game as register_game
from .envs.rendering import DisplayError as DisplayError
from .envs.turns import TurnEnv as TurnEnv
from .envs.turns import TurnVectorEnv as TurnVectorEnv
from .foundations.errors import ArrayError as ArrayError
from .foundations.errors import BudgetError as BudgetError
from .foundations.errors import ConcurrentUseError as ConcurrentUseError
from .foundations.errors import ConfigError as ConfigError
from .foundations.errors import EncodingError as EncodingError
from .foundations.errors import FileError as FileError
from .foundations.errors import IllegalActionError as IllegalActionError
from .foundations.errors import MachineError as MachineError
from .foundations.errors import MissingExtraError as MissingExtraError
from .foundations.errors import NewerVersionError as NewerVersionError
from .foundations.errors import PlayerError as PlayerError
from .foundations.errors import PositionError as PositionError
from .foundations.errors import ProtocolError as ProtocolError
from .foundations.errors import RecordError as RecordError
from .foundations.errors import TKMError as TKMError
from .foundations.errors import UnknownActionError as UnknownActionError
from .foundations.errors import UnknownKeywordError as UnknownKeywordError
from .games.terminus.batch import TerminusBatch as TerminusBatch
from .games.terminus.config import TerminusConfig as TerminusConfig
from .games.terminus.deck import DeckError as DeckError
from .games.terminus.deck import read_deck as read_deck
from .games.terminus.deck import write_deck as write_deck
from .games.terminus.engine.observation import TERMINUS_FEATURES as TERMINUS_FEATURES
from .games.terminus.game import TerminusGame as TerminusGame
from .games.tkm import events as events
from .games.tkm.achievements import achieved as achieved
from .games.tkm.batch import Batch as Batch
from .games.tkm.campaign import Campaign as Campaign
from .games.tkm.config import GameConfig as GameConfig
from .games.tkm.cuda_batch import CudaBatch as CudaBatch
from .games.tkm.engine.actions import ACTIONS as ACTIONS
from .games.tkm.engine.planes import PLANES as PLANES
from .games.tkm.engine.powers import POWERS as POWERS
from .games.tkm.game import Game as Game
from .games.tkm.game import action_index as action_index
from .games.tkm.observation_decoder import decode_observation as decode_observation
from .games.tkm.series import Series as Series
from .render.replay import replay_page as replay_page

__version__: str
