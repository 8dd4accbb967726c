"""RULES §7 and §8, chapter 3: train and command elephants."""

from tkm_env.compiled.array_types import Mask
from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.actions import COMMANDS, COMMANDS_PULLING, TRAINS
from tkm_env.games.tkm.engine.bitboards import has_seed
from tkm_env.games.tkm.engine.event_log import COMMANDED, PULLED, TRAINED, TRAMPLE, UNTRAINED, note
from tkm_env.games.tkm.engine.geometry import FUTURE, NEIGHBOUR, NOWHERE, NUM_ERAS, OPPOSITE
from tkm_env.games.tkm.engine.powers import LOYALTY, WHISPERER
from tkm_env.games.tkm.engine.push import (
    find,
    gives_way,
    is_statue,
    kill,
    pass_on_steps,
    push,
    remove,
    remove_seed,
    remove_shrub,
    shift,
)
from tkm_env.games.tkm.engine.scratch import Scratch
from tkm_env.games.tkm.engine.state import ELEPHANT, EMPTY, NOBODY, SECOND_TEXTS, SHRUB, TREE, State


@inlined
def legal(state: State, mask: Mask) -> None:
    """Mark which elephants the active copy may train and command in its era, and where to.

    Args:
        state: the game, at the step that takes an action.
        mask: where to write: int8 of shape (actions,), with 0 for these actions.
    """
    era, here, player = state.active_era, state.active_space, state.to_act
    for elephant in range(2):
        wearing = state.hat[elephant, era]
        if wearing == player or (
            wearing == NOBODY and whispers(state, player, state.actions_left == 1)
        ):
            _legal_commands(state, era, elephant, mask)
    for direction in range(4):
        beside = NEIGHBOUR[direction, here]
        if beside != NOWHERE and state.cell[era, beside] >= ELEPHANT:
            elephant = state.cell[era, beside] - ELEPHANT
            mask[TRAINS + elephant] = state.hat[elephant, era] != player and not is_loyal(
                state, player, elephant, era
            )


@inlined
def whispers(state: State, player: int, is_last: bool) -> bool:
    """Whether a player may command elephants without a hat.

    The power `whisperer` allows it; by its second text, only with a turn's last action.

    Args:
        state: the game.
        player: the index of the player.
        is_last: whether the command would be the last action of a turn.

    Returns:
        Whether the player's power allows it.
    """
    return state.power[player] == WHISPERER and (is_last or state.power_texts != SECOND_TEXTS)


@inlined
def is_loyal(state: State, player: int, elephant: int, era: int) -> bool:
    """Whether the opponent's `loyalty` forbids a player to train an elephant (R22).

    By its second text, it does so only in the future.

    Args:
        state: the game.
        player: the index of the player.
        elephant: the index of the elephant.
        era: the era in which it would be trained.

    Returns:
        Whether the elephant wears the opponent's hat and is protected.
    """
    opponent = 1 - player
    if state.hat[elephant, era] != opponent or state.power[opponent] != LOYALTY:
        return False
    return era == FUTURE or state.power_texts != SECOND_TEXTS


@inlined
def _legal_commands(state: State, era: int, elephant: int, mask: Mask) -> None:
    """§7, §8: mark where an elephant may go.

    It may not enter a wall or an elephant, nor a tree or statue that cannot be pushed. It may pull
    a statue behind it.
    """
    here = find(state, era, ELEPHANT + elephant)
    for direction in range(4):
        there = NEIGHBOUR[direction, here]
        if there == NOWHERE or state.cell[era, there] >= ELEPHANT:
            continue
        if state.cell[era, there] < SHRUB and not gives_way(state, era, there, direction):
            continue
        mask[COMMANDS + 4 * elephant + direction] = 1
        if is_statue(state, era, NEIGHBOUR[OPPOSITE[direction], here]):
            mask[COMMANDS_PULLING + 4 * elephant + direction] = 1


@inlined
def apply(state: State, action: int, scratch: Scratch) -> None:
    """Take a legal train or command action.

    Args:
        state: the game.
        action: the action's index.
        scratch: the workspace.
    """
    if action < COMMANDS:
        _train(state, action - TRAINS, scratch)
        return
    pull = action >= COMMANDS_PULLING
    number = action - (COMMANDS_PULLING if pull else COMMANDS)
    _command(state, number // 4, number % 4, pull, scratch)


@inlined
def _train(state: State, elephant: int, scratch: Scratch) -> None:
    """§7 train, and memory.

    Memory goes up to the first later era in which the elephant already wears the hat, or in which
    `loyalty` protects it.
    """
    player = state.to_act
    for era in range(state.active_era, NUM_ERAS):
        if state.hat[elephant, era] == player or is_loyal(state, player, elephant, era):
            return
        if state.hat[elephant, era] != NOBODY:
            note(scratch, UNTRAINED, era, NOWHERE, ELEPHANT + elephant, 1 - player)
        state.hat[elephant, era] = player
        note(scratch, TRAINED, era, NOWHERE, ELEPHANT + elephant, player)
        if state.hat[1 - elephant, era] == player:
            state.hat[1 - elephant, era] = NOBODY
            note(scratch, UNTRAINED, era, NOWHERE, ELEPHANT + 1 - elephant, player)


@inlined
def _command(state: State, elephant: int, direction: int, pull: bool, scratch: Scratch) -> None:
    """§7 command and trample, and §8.

    The elephant tramples copies and what grows, topples trees, pushes statues, and may pull one.
    """
    era = state.active_era
    here = find(state, era, ELEPHANT + elephant)
    there = NEIGHBOUR[direction, here]
    piece = state.cell[era, there]
    if piece == SHRUB:
        remove_shrub(state, era, there, scratch)
    elif piece > SHRUB:
        remove(state, era, there, scratch)
    elif TREE <= piece < SHRUB:
        push(state, era, there, direction, scratch)
    elif piece != EMPTY and piece < TREE:
        kill(state, era, there, TRAMPLE, scratch)
    if has_seed(state, era, there):
        remove_seed(state, era, there, scratch)
    state.cell[era, there] = ELEPHANT + elephant
    state.cell[era, here] = EMPTY
    note(scratch, COMMANDED, era, here, ELEPHANT + elephant, there)
    if pull:
        shift(state, era, NEIGHBOUR[OPPOSITE[direction], here], direction, PULLED, scratch)
    pass_on_steps(state, era, scratch)
