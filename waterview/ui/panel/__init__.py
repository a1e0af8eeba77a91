"""The panel: every setting by mouse."""
