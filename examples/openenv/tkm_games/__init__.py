"""Games of tkm_env in words, single turns and questions, as an OpenEnv environment.

It is a server in which every connection has an episode of its own, and a client:

    python -m pip install -e . -e ../..
    tkm-openenv --port 8000
"""
