"""Which parts of an observation can differ from position to position under given settings."""

from __future__ import annotations

import itertools

from tkm_env.game.compact_observation import ObservationPart
from tkm_env.games.terminus.config import TerminusConfig
from tkm_env.games.terminus.engine.observation import SEEN_ERAS, TERMINUS_FEATURES, eras_of_card
from tkm_env.games.terminus.engine.state import ERAS, TERMINUS


def parts(config: TerminusConfig) -> list[ObservationPart]:
    """The parts of an observation that vary with this deck, in the order of `tkm_env.TERMINUS_FEATURES`.

    >>> sum(len(part.elements) for part in parts(TerminusConfig()))
    820
    """
    assert isinstance(config.deck, tuple)
    letters = {*"".join(config.deck), ERAS[TERMINUS].letter}
    found = []
    first = 0
    for feature in TERMINUS_FEATURES:
        needed = feature.varies * (feature.length // len(feature.varies))
        varies = [not those or bool(letters.intersection(those)) for those in needed]
        elements = tuple(first + place for place in range(feature.length) if varies[place])
        of_card = len(feature.varies) > 1
        meaning = eras_of_card([*itertools.compress(SEEN_ERAS, varies)]) if of_card else feature.meaning
        if elements:
            found.append(ObservationPart(feature.name, None, meaning, elements))
        first += feature.length
    return found
