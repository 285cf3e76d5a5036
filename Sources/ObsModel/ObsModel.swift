// ObsModel
