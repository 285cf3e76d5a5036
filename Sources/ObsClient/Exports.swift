// `import ObsClient` is enough to write a client: errors and dynamic values speak ObsWire, handles are observed.
@_exported public import ObsWire
@_exported public import Observation
