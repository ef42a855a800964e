"""``python -m planproof``: the command ``planproof``."""

from planproof_command import main

if __name__ == "__main__":
    main()
