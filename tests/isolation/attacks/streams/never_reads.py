# Says nothing, and uses all its time.
# all: fault timeout
while True:
    pass
