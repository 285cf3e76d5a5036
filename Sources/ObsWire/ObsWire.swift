// ObsWire
