// ObsServer
