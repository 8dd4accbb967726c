"""Playing the games of a schedule: whatever is measured, rated or taught is played here."""
