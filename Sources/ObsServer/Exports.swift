// `import ObsServer` is enough to write a server: models need ObsActor and @Observable, errors and
// arguments ObsWire.
@_exported public import ObsModel
@_exported public import ObsWire
@_exported public import Observation
