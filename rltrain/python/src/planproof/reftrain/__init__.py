"""Reference trainer: a small decoder learns to plan, from scratch or from a pretrained model, with the oracle attached.

::

    rows.jsonl (planproof export) ─► tokens ─► sft ─► rl: GRPO, CARL, PPO ─► evaluate
                                                └──► dpo: DPO, CA-DPO ───────┘

    python -m planproof.reftrain sft --data rows.jsonl --out runs/sft
    python -m planproof.reftrain rl --data rows.jsonl --start runs/sft --out runs/carl --set alpha=0.001

It needs PyTorch >= 1.13 and nothing else (for ``--pretrained`` the extra planproof[pretrained]), runs on a CPU with one
thread and, unchanged, on a GPU. The modules, each on top of those before it: ``config`` (settings), ``state``
(atomic files, checkpoints, metrics), ``tokens`` (words of PDDL), ``model`` (the decoder), ``pretrained`` (a language
model from files at hand), ``sample`` (answers and their log-probabilities), ``sft``, ``reward`` (the oracle),
``losses`` and ``rl``. Importing this package does not import torch.

Same rows, settings and seed: same files, byte by byte, on one machine with one thread;
also when a run is killed and started again. Only timing.csv differs.
"""
