# Answers in Latin-1, as where the system's language says so.
# all: fault protocol
import sys

sys.stdout.reconfigure(encoding="latin-1")
print("Zug für Weiß", flush=True)
