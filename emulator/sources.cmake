# Every source of gcsflux::emulator.
set(EMULATOR_SOURCES)
