// ObsClient
