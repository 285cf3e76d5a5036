// ObsTransport
