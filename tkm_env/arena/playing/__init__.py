"""Playing the games of a schedule: whatever is measured, rated or taught is played here.

`schedule_run` submits games to `workers`: this process, a `process_pool`, or Ray. There
`scheduled_game` prepares a game, and `referee` plays it.
"""
