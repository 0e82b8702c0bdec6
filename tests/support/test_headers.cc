// Empty: its target is there for the headers that it compiles in advance.
