"""PPO with an action mask, in one file and CleanRL's style.

Everything from the arguments to the update stands here; from this package comes nothing but the
environment. It needs torch, tensorboard and tyro, and for ``--track`` wandb.

python examples/libraries/masked_ppo.py --total-timesteps 500000
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import tyro
from torch import nn, optim
from torch.distributions.categorical import Categorical
from torch.utils.tensorboard import SummaryWriter

import tkm_env  # noqa: F401 registers the environments


@dataclass
class Args:
    exp_name: str = "masked_ppo"
    """the name of this experiment"""
    seed: int = 1
    """seed of the experiment"""
    torch_deterministic: bool = True
    """if toggled, `torch.backends.cudnn.deterministic=False`"""
    cuda: bool = True
    """if toggled, cuda is used where there is one"""
    track: bool = False
    """if toggled, this experiment is tracked with Weights and Biases"""
    wandb_project_name: str = "tkm_env"
    """the project's name in Weights and Biases"""
    wandb_entity: str | None = None
    """the entity (team) of the project"""

    env_id: str = "tkm_env/TKM-Compact-v0"
    """the id of the environment"""
    opponent: str = "random"
    """who plays the other side, in learning and in the evaluation afterwards"""
    total_timesteps: int = 100_000
    """total timesteps of the experiment"""
    learning_rate: float = 1e-3
    """the learning rate of the optimizer"""
    num_envs: int = 64
    """the number of games at once"""
    num_steps: int = 64
    """the number of steps of each game in a rollout"""
    anneal_lr: bool = True
    """toggle learning rate annealing"""
    gamma: float = 0.997
    """the discount factor gamma, for each action; a game takes about a hundred"""
    gae_lambda: float = 0.95
    """the lambda of the general advantage estimation"""
    num_minibatches: int = 8
    """the number of mini-batches"""
    update_epochs: int = 4
    """the K epochs to update the policy"""
    norm_adv: bool = True
    """toggles advantages normalization"""
    clip_coef: float = 0.2
    """the surrogate clipping coefficient"""
    clip_vloss: bool = True
    """toggles whether or not to use a clipped loss for the value function"""
    ent_coef: float = 0.01
    """coefficient of the entropy"""
    vf_coef: float = 0.5
    """coefficient of the value function"""
    max_grad_norm: float = 0.5
    """the maximum norm for the gradient clipping"""
    evaluation_games: int = 400
    """games to play after learning, with the most probable action"""


def layer_init(layer: nn.Linear, std: float = 2**0.5) -> nn.Linear:
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, 0.0)
    return layer


class Agent(nn.Module):
    def __init__(self, envs: gym.vector.VectorEnv) -> None:
        super().__init__()
        inputs = int(np.prod(envs.single_observation_space.shape))
        self.critic = nn.Sequential(
            layer_init(nn.Linear(inputs, 256)),
            nn.ReLU(),
            layer_init(nn.Linear(256, 256)),
            nn.ReLU(),
            layer_init(nn.Linear(256, 1), std=1.0),
        )
        self.actor = nn.Sequential(
            layer_init(nn.Linear(inputs, 256)),
            nn.ReLU(),
            layer_init(nn.Linear(256, 256)),
            nn.ReLU(),
            layer_init(nn.Linear(256, envs.single_action_space.n), std=0.01),
        )

    def get_value(self, x: torch.Tensor) -> torch.Tensor:
        return self.critic(x.flatten(1))

    def get_action_and_value(
        self, x: torch.Tensor, mask: torch.Tensor, action: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        # The only difference to a policy without a mask: illegal actions have no probability.
        logits = self.actor(x.flatten(1)).masked_fill(~mask, -1e8)
        probs = Categorical(logits=logits)
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.get_value(x)


def evaluate(agent: Agent, args: Args, device: torch.device) -> float:
    """The share of the points in games that the learner never saw, by its most probable actions."""
    envs = gym.make_vec(args.env_id, args.evaluation_games, opponent=args.opponent, opening_turns=2)
    obs, infos = envs.reset(seed=args.seed + 1_000_000)
    points = np.full(args.evaluation_games, np.nan)
    while np.isnan(points).any():
        x = torch.as_tensor(obs, dtype=torch.float32, device=device)
        with torch.no_grad():
            logits = agent.actor(x.flatten(1))
        mask = torch.as_tensor(infos["action_mask"], device=device).bool()
        actions = logits.masked_fill(~mask, -1e8).argmax(1).cpu().numpy()
        obs, rewards, terminations, truncations, infos = envs.step(actions)
        first = np.isnan(points) & (terminations | truncations)  # each game's first end counts
        points[first] = (1 + rewards[first]) / 2
    envs.close()
    return float(points.mean())


def train(
    args: Args,
    envs: gym.vector.VectorEnv,
    agent: Agent,
    writer: SummaryWriter,
    iterations: Iterable[float],
) -> None:
    """Play and learn; ``iterations`` says before each how much of the training is done."""
    batch_size = args.num_envs * args.num_steps
    minibatch_size = batch_size // args.num_minibatches
    device = next(agent.parameters()).device
    generator = np.random.default_rng(args.seed)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros((*shape, *envs.single_observation_space.shape), device=device)
    masks = torch.zeros((*shape, envs.single_action_space.n), dtype=torch.bool, device=device)
    actions = torch.zeros(shape, dtype=torch.long, device=device)
    logprobs, rewards, dones, values = (torch.zeros(shape, device=device) for _ in range(4))

    global_step, start_time = 0, time.time()
    seen, infos = envs.reset(seed=args.seed)
    next_obs = torch.as_tensor(seen, dtype=torch.float32, device=device)
    next_mask = torch.as_tensor(infos["action_mask"], device=device).bool()
    next_done = torch.zeros(args.num_envs, device=device)

    for done_before in iterations:
        if args.anneal_lr:
            optimizer.param_groups[0]["lr"] = (1.0 - done_before) * args.learning_rate

        returns_of_games: list[float] = []
        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step], masks[step], dones[step] = next_obs, next_mask, next_done
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs, next_mask)
                values[step] = value.flatten()
            actions[step], logprobs[step] = action, logprob
            seen, reward, terminations, truncations, infos = envs.step(action.cpu().numpy())
            done = terminations | truncations
            returns_of_games += reward[done].tolist()  # a game's reward comes all at its end
            rewards[step] = torch.as_tensor(reward, device=device)
            next_obs = torch.as_tensor(seen, dtype=torch.float32, device=device)
            next_mask = torch.as_tensor(infos["action_mask"], device=device).bool()
            next_done = torch.as_tensor(done, dtype=torch.float32, device=device)

        # General advantage estimation. A truncated game counts as a draw.
        with torch.no_grad():
            next_value = agent.get_value(next_obs).flatten()
            advantages = torch.zeros_like(rewards)
            lastgaelam = torch.zeros(args.num_envs, device=device)
            for t in reversed(range(args.num_steps)):
                last = t == args.num_steps - 1
                nextnonterminal = 1.0 - (next_done if last else dones[t + 1])
                nextvalues = next_value if last else values[t + 1]
                delta = rewards[t] + args.gamma * nextvalues * nextnonterminal - values[t]
                lastgaelam = delta + args.gamma * args.gae_lambda * nextnonterminal * lastgaelam
                advantages[t] = lastgaelam
            returns = advantages + values
        b_obs, b_masks = obs.flatten(0, 1), masks.flatten(0, 1)
        b_actions, b_logprobs = actions.flatten(), logprobs.flatten()
        b_advantages, b_returns, b_values = (x.flatten() for x in (advantages, returns, values))

        b_inds = np.arange(batch_size)
        clipfracs = []
        for _ in range(args.update_epochs):
            generator.shuffle(b_inds)
            for start in range(0, batch_size, minibatch_size):
                mb_inds = b_inds[start : start + minibatch_size]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(
                    b_obs[mb_inds], b_masks[mb_inds], b_actions[mb_inds]
                )
                logratio = newlogprob - b_logprobs[mb_inds]
                ratio = logratio.exp()
                with torch.no_grad():
                    old_approx_kl = (-logratio).mean()
                    approx_kl = ((ratio - 1) - logratio).mean()
                    clipfracs.append(((ratio - 1.0).abs() > args.clip_coef).float().mean().item())

                mb_advantages = b_advantages[mb_inds]
                if args.norm_adv:
                    mean, std = mb_advantages.mean(), mb_advantages.std()
                    mb_advantages = (mb_advantages - mean) / (std + 1e-8)

                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                pg_loss = torch.max(-mb_advantages * ratio, -mb_advantages * clipped).mean()

                newvalue = newvalue.flatten()
                v_loss = (newvalue - b_returns[mb_inds]) ** 2
                if args.clip_vloss:
                    change = (newvalue - b_values[mb_inds]).clamp(-args.clip_coef, args.clip_coef)
                    v_clipped = (b_values[mb_inds] + change - b_returns[mb_inds]) ** 2
                    v_loss = torch.max(v_loss, v_clipped)
                v_loss = 0.5 * v_loss.mean()

                entropy_loss = entropy.mean()
                loss = pg_loss - args.ent_coef * entropy_loss + v_loss * args.vf_coef
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        y_pred, y_true = b_values.cpu().numpy(), b_returns.cpu().numpy()
        var_y = np.var(y_true)
        explained_var = np.nan if var_y == 0 else 1 - np.var(y_true - y_pred) / var_y
        sps = int(global_step / (time.time() - start_time))
        writer.add_scalar("charts/learning_rate", optimizer.param_groups[0]["lr"], global_step)
        writer.add_scalar("losses/value_loss", v_loss.item(), global_step)
        writer.add_scalar("losses/policy_loss", pg_loss.item(), global_step)
        writer.add_scalar("losses/entropy", entropy_loss.item(), global_step)
        writer.add_scalar("losses/old_approx_kl", old_approx_kl.item(), global_step)
        writer.add_scalar("losses/approx_kl", approx_kl.item(), global_step)
        writer.add_scalar("losses/clipfrac", np.mean(clipfracs), global_step)
        writer.add_scalar("losses/explained_variance", explained_var, global_step)
        writer.add_scalar("charts/SPS", sps, global_step)
        if returns_of_games:
            episodic_return = float(np.mean(returns_of_games))
            writer.add_scalar("charts/episodic_return", episodic_return, global_step)
            print(f"global_step={global_step}, episodic_return={episodic_return:.3f}, SPS={sps}")


def main() -> None:
    args = tyro.cli(Args)
    batch_size = args.num_envs * args.num_steps
    num_iterations = max(1, args.total_timesteps // batch_size)
    run_name = f"{args.env_id.replace('/', '-')}__{args.exp_name}__{args.seed}__{int(time.time())}"
    if args.track:
        import wandb

        wandb.init(
            project=args.wandb_project_name,
            entity=args.wandb_entity,
            sync_tensorboard=True,
            config=vars(args),
            name=run_name,
            save_code=True,
        )
    writer = SummaryWriter(f"runs/{run_name}")
    rows = "\n".join(f"|{key}|{value}|" for key, value in vars(args).items())
    writer.add_text("hyperparameters", f"|param|value|\n|-|-|\n{rows}")

    torch.manual_seed(args.seed)
    torch.backends.cudnn.deterministic = args.torch_deterministic
    torch.set_num_threads(1)  # a network this small gains nothing from more
    device = torch.device("cuda" if torch.cuda.is_available() and args.cuda else "cpu")

    # The learner plays one side, drawn for each game, so every reward is its own. A game that ends
    # begins again in the same step, as CleanRL's loop expects.
    envs = gym.make_vec(
        args.env_id, args.num_envs, opponent=args.opponent, autoreset_mode="SameStep"
    )
    agent = Agent(envs).to(device)
    train(args, envs, agent, writer, np.arange(num_iterations) / num_iterations)
    envs.close()
    score = evaluate(agent, args, device)
    writer.add_scalar("charts/score", score, num_iterations * batch_size)
    writer.close()
    print(f"masked_ppo against {args.opponent}: {args.evaluation_games} games, {score:.1%}")


if __name__ == "__main__":
    main()
