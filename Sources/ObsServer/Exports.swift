// `import ObsServer` is enough to write a server: models need ObsActor, errors and arguments ObsWire.
@_exported public import ObsModel
@_exported public import ObsWire
